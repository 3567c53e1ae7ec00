// One communicator per distinct group of ranks.
#pragma once

#include <map>
#include <vector>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

class Groups {
 public:
  explicit Groups(const Communicator& world) : world_(&world) {}
  const Communicator& world() const { return *world_; }
  // Collective over the members: every rank asks for its groups in the order of its schedule.
  const Communicator& get(const std::vector<int>& ranks);

 private:
  const Communicator* world_;
  std::map<std::vector<int>, Communicator> groups_;
};

}  // namespace cnnplan
