// Communicators made on first use.
#include "executor/training/groups.hpp"

#include <utility>

namespace cnnplan {

const Communicator& Groups::get(const std::vector<int>& ranks) {
  const auto found = groups_.find(ranks);
  if (found != groups_.end()) return found->second;
  return groups_.emplace(ranks, Communicator::group(*world_, ranks)).first->second;
}

}  // namespace cnnplan
