// Runs the collectives on numbers by MPI and by the ring and rounds of this folder.
#include "executor/comm/value_collectives.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "executor/comm/exchange_allreduce.hpp"
#include "executor/comm/message_link.hpp"
#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/ring.hpp"
#include "executor/comm/shared_link.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

MPI_Datatype datatype(float) {
  return MPI_FLOAT;
}
MPI_Datatype datatype(double) {
  return MPI_DOUBLE;
}
MPI_Datatype datatype(std::uint16_t) {
  return MPI_UINT16_T;
}

// Sums in parts whose number of elements fits MPI's int counts.
template <typename T>
void library_allreduce(std::span<T> values, const Communicator& communicator) {
  const MPI_Comm comm = communicator.handle().comm;
  const Wait wait("MPI_Allreduce", members_of(communicator));
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t begin = 0; begin < values.size(); begin += most) {
    const auto part = values.subspan(begin, std::min(most, values.size() - begin));
    check_mpi(
        MPI_Allreduce(
            MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), datatype(T{}), MPI_SUM, comm),
        "MPI_Allreduce");
  }
}

// Describes the shards of all ranks in the form that MPI takes.
// @throws CommError when an int count is too small
struct ShardCounts {
  ShardCounts(std::int64_t all, int parts) {
    message_count(all);
    for (int part = 0; part < parts; ++part) {
      const Range own = shard(all, parts, part);
      begins.push_back(static_cast<int>(own.begin));
      counts.push_back(static_cast<int>(own.size()));
    }
  }
  std::vector<int> begins;
  std::vector<int> counts;
};

// MPI writes this rank's shard to the beginning of the values, so it is moved to its place.
template <typename T>
void library_reduce_scatter(std::span<T> values, const Communicator& communicator) {
  const ShardCounts shards(std::ssize(values), communicator.size());
  const Wait wait("MPI_Reduce_scatter", members_of(communicator));
  check_mpi(MPI_Reduce_scatter(MPI_IN_PLACE,
                               values.data(),
                               shards.counts.data(),
                               datatype(T{}),
                               MPI_SUM,
                               communicator.handle().comm),
            "MPI_Reduce_scatter");
  const int rank = communicator.rank();
  std::memmove(values.data() + shards.begins[rank], values.data(), shards.counts[rank] * sizeof(T));
}

template <typename T>
void library_allgather(std::span<T> values, const Communicator& communicator) {
  const ShardCounts shards(std::ssize(values), communicator.size());
  const Wait wait("MPI_Allgatherv", members_of(communicator));
  check_mpi(MPI_Allgatherv(MPI_IN_PLACE,
                           0,
                           MPI_DATATYPE_NULL,
                           values.data(),
                           shards.counts.data(),
                           shards.begins.data(),
                           datatype(T{}),
                           communicator.handle().comm),
            "MPI_Allgatherv");
}

void require_halves(AllreduceAlgorithm algorithm) {
  if (!has_halves(algorithm)) throw std::logic_error("this allreduce has no halves");
}

}  // namespace

// Makes the link on first use, which is collective.
RingLink& ValueCollectives::ring_link(const Communicator& communicator) {
  if (ring_link_ == nullptr) ring_link_ = make_shared_link(communicator);
  if (ring_link_ == nullptr) ring_link_ = make_message_link(communicator);
  return *ring_link_;
}

template <typename T>
void ValueCollectives::allreduce(const Communicator& communicator,
                                 std::span<T> values,
                                 AllreduceAlgorithm algorithm) {
  if (communicator.size() == 1) return;
  switch (algorithm) {
    case AllreduceAlgorithm::library:
      return library_allreduce(values, communicator);
    case AllreduceAlgorithm::ring:
      return ring_collective(CollectiveKind::allreduce,
                             values,
                             ring_link(communicator),
                             communicator.rank(),
                             communicator.size());
    case AllreduceAlgorithm::recursive_doubling:
    case AllreduceAlgorithm::rabenseifner:
    case AllreduceAlgorithm::hierarchical:
      return ExchangeAllreduce(communicator,
                               {.algorithm = algorithm,
                                .elements = std::ssize(values),
                                .ranks = communicator.size()})
          .sum(values);
  }
}

template <typename T>
void ValueCollectives::reduce_scatter(const Communicator& communicator,
                                      std::span<T> values,
                                      AllreduceAlgorithm algorithm) {
  require_halves(algorithm);
  if (communicator.size() == 1 || values.empty()) return;
  if (algorithm == AllreduceAlgorithm::library) return library_reduce_scatter(values, communicator);
  ring_collective(CollectiveKind::reduce_scatter,
                  values,
                  ring_link(communicator),
                  communicator.rank(),
                  communicator.size());
}

template <typename T>
void ValueCollectives::allgather(const Communicator& communicator,
                                 std::span<T> values,
                                 AllreduceAlgorithm algorithm) {
  require_halves(algorithm);
  if (communicator.size() == 1 || values.empty()) return;
  if (algorithm == AllreduceAlgorithm::library) return library_allgather(values, communicator);
  ring_allgather(values, ring_link(communicator), communicator.rank(), communicator.size());
}

using Floats = std::span<float>;
using Doubles = std::span<double>;
using Halves = std::span<std::uint16_t>;
template void ValueCollectives::allreduce(const Communicator&, Floats, AllreduceAlgorithm);
template void ValueCollectives::allreduce(const Communicator&, Doubles, AllreduceAlgorithm);
template void ValueCollectives::reduce_scatter(const Communicator&, Floats, AllreduceAlgorithm);
template void ValueCollectives::reduce_scatter(const Communicator&, Doubles, AllreduceAlgorithm);
template void ValueCollectives::allgather(const Communicator&, Floats, AllreduceAlgorithm);
template void ValueCollectives::allgather(const Communicator&, Doubles, AllreduceAlgorithm);
template void ValueCollectives::allgather(const Communicator&, Halves, AllreduceAlgorithm);

}  // namespace cnnplan
