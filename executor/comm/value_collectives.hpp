// Sums and gathers numbers over the ranks of a communicator, by MPI or by this folder's algorithms.
#pragma once

#include <memory>
#include <span>

#include "executor/comm/communicator.hpp"
#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// Owns the link to the ring neighbours of one communicator. Every call must pass this communicator.
// Calls are collective and block. @throws CommError
class ValueCollectives {
 public:
  // Sums in place. T is float or double.
  template <typename T>
  void allreduce(const Communicator& communicator,
                 std::span<T> values,
                 AllreduceAlgorithm algorithm);
  // These functions run one half of an allreduce in place, with the shards of
  // planner/tensor/shard.hpp. The function allgather also takes std::uint16_t.
  // @throws std::logic_error when the algorithm has no halves
  template <typename T>
  void reduce_scatter(const Communicator& communicator,
                      std::span<T> values,
                      AllreduceAlgorithm algorithm);
  template <typename T>
  void allgather(const Communicator& communicator,
                 std::span<T> values,
                 AllreduceAlgorithm algorithm);

 private:
  RingLink& ring_link(const Communicator& communicator);

  std::unique_ptr<RingLink> ring_link_;  // made by the first collective on the ring
};

}  // namespace cnnplan
