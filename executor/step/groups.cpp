// Makes communicators on first use.
#include "executor/step/groups.hpp"

#include <utility>

namespace cnnplan {

const Communicator& Groups::get(const std::vector<int>& ranks) {
  const auto found = groups_.find(ranks);
  if (found != groups_.end()) return found->second;
  return groups_.emplace(ranks, Communicator::group(*world_, ranks)).first->second;
}

const NcclCommunicator* Groups::get_nccl(const std::vector<int>& ranks, Queue queue) {
  if (!uses_nccl_) return nullptr;
  const std::pair key(ranks, queue);
  const auto found = nccl_groups_.find(key);
  if (found != nccl_groups_.end()) return &found->second;
  return &nccl_groups_.emplace(key, NcclCommunicator(get(ranks))).first->second;
}

}  // namespace cnnplan
