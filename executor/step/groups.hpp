// Creates one communicator for each distinct group of ranks, and with NCCL for each queue, too.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/comm/nccl_communicator.hpp"

namespace cnnplan {

// Owns the communicators of a program's schedules.
class Groups {
 public:
  // Keeps a reference to `world`. If `nccl` is true, the algorithm `library` uses NCCL instead of
  // MPI.
  explicit Groups(const Communicator& world, bool nccl = false)
      : world_(&world), uses_nccl_(nccl) {}
  const Communicator& world() const { return *world_; }
  // Returns the communicator of `ranks` of the world, in ascending order, this rank among them. It
  // lives as long as this object. The first call for a group is collective over its members, so
  // every rank asks for its groups in the order of its schedule.
  const Communicator& get(const std::vector<int>& ranks);
  // Returns the NCCL communicator of these ranks for the collectives of `queue`, or null where NCCL
  // is not used. Each queue has its own, because NCCL runs the collectives of a communicator one
  // after the other, whatever their queues. The first call for a group and a queue is collective
  // over the members, too.
  // @throws as the constructor of NcclCommunicator
  const NcclCommunicator* get_nccl(const std::vector<int>& ranks, Queue queue);

 private:
  const Communicator* world_;
  bool uses_nccl_;
  std::map<std::vector<int>, Communicator> groups_;
  std::map<std::pair<std::vector<int>, Queue>, NcclCommunicator> nccl_groups_;
};

}  // namespace cnnplan
