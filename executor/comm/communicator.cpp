// Implements the collectives of a Communicator by MPI and by the ring, rounds and shared memory of
// this folder.
#include "executor/comm/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "executor/comm/exchange_allreduce.hpp"
#include "executor/comm/message_link.hpp"
#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/ring.hpp"
#include "executor/comm/shared_link.hpp"
#include "planner/base/error.hpp"
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
void library_allreduce(std::span<T> values, MPI_Comm comm) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t begin = 0; begin < values.size(); begin += most) {
    const auto part = values.subspan(begin, std::min(most, values.size() - begin));
    check_mpi(
        MPI_Allreduce(
            MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), datatype(T{}), MPI_SUM, comm),
        "MPI_Allreduce");
  }
}

// Makes the link on first use, which is collective.
RingLink& ring_link(const Communicator& communicator, Communicator::Handle& handle) {
  if (handle.ring_link == nullptr) handle.ring_link = make_shared_link(communicator);
  if (handle.ring_link == nullptr) handle.ring_link = make_message_link(communicator);
  return *handle.ring_link;
}

template <typename T>
void sum_over_ranks(std::span<T> values,
                    AllreduceAlgorithm algorithm,
                    const Communicator& communicator,
                    Communicator::Handle& handle) {
  if (communicator.size() == 1) return;
  switch (algorithm) {
    case AllreduceAlgorithm::library:
      return library_allreduce(values, handle.comm);
    case AllreduceAlgorithm::ring:
      return ring_collective(CollectiveKind::allreduce,
                             values,
                             ring_link(communicator, handle),
                             communicator.rank(),
                             communicator.size());
    case AllreduceAlgorithm::recursive_doubling:
    case AllreduceAlgorithm::rabenseifner:
    case AllreduceAlgorithm::hierarchical:
      return ExchangeAllreduce(communicator,
                               {.algorithm = algorithm,
                                .elements = static_cast<std::int64_t>(values.size()),
                                .ranks = communicator.size()})
          .sum(values);
  }
}

// Describes the shards of all ranks in the form that MPI takes.
// @throws CommError when an int count is too small
struct ShardCounts {
  ShardCounts(std::size_t elements, int parts) {
    const auto all = static_cast<std::int64_t>(elements);
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
void library_reduce_scatter(std::span<T> values, const Communicator::Handle& handle) {
  const ShardCounts shards(values.size(), handle.size);
  check_mpi(
      MPI_Reduce_scatter(
          MPI_IN_PLACE, values.data(), shards.counts.data(), datatype(T{}), MPI_SUM, handle.comm),
      "MPI_Reduce_scatter");
  const auto rank = static_cast<std::size_t>(handle.rank);
  std::memmove(values.data() + shards.begins[rank],
               values.data(),
               static_cast<std::size_t>(shards.counts[rank]) * sizeof(T));
}

template <typename T>
void library_allgather(std::span<T> values, const Communicator::Handle& handle) {
  const ShardCounts shards(values.size(), handle.size);
  check_mpi(MPI_Allgatherv(MPI_IN_PLACE,
                           0,
                           MPI_DATATYPE_NULL,
                           values.data(),
                           shards.counts.data(),
                           shards.begins.data(),
                           datatype(T{}),
                           handle.comm),
            "MPI_Allgatherv");
}

void require_halves(AllreduceAlgorithm algorithm) {
  if (!has_halves(algorithm)) throw std::logic_error("this allreduce has no halves");
}

template <typename T>
void sum_shards(std::span<T> values,
                AllreduceAlgorithm algorithm,
                const Communicator& communicator,
                Communicator::Handle& handle) {
  require_halves(algorithm);
  if (handle.size == 1 || values.empty()) return;
  if (algorithm == AllreduceAlgorithm::library) return library_reduce_scatter(values, handle);
  ring_collective(CollectiveKind::reduce_scatter,
                  values,
                  ring_link(communicator, handle),
                  handle.rank,
                  handle.size);
}

template <typename T>
void gather_shards(std::span<T> values,
                   AllreduceAlgorithm algorithm,
                   const Communicator& communicator,
                   Communicator::Handle& handle) {
  require_halves(algorithm);
  if (handle.size == 1 || values.empty()) return;
  if (algorithm == AllreduceAlgorithm::library) return library_allgather(values, handle);
  ring_allgather(values, ring_link(communicator, handle), handle.rank, handle.size);
}

bool is_group_of(const Communicator& parent, const std::vector<int>& ranks) {
  return !ranks.empty() && ranks.front() >= 0 && ranks.back() < parent.size() &&
         std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end() &&
         std::binary_search(ranks.begin(), ranks.end(), parent.rank());
}

// Rank `root` gets the sizes of all ranks; the others get an empty list.
std::vector<int> gather_sizes(std::size_t own_bytes, int root, const Communicator::Handle& handle) {
  const int own = message_count(static_cast<std::int64_t>(own_bytes));
  std::vector<int> sizes(handle.rank == root ? static_cast<std::size_t>(handle.size) : 0);
  check_mpi(MPI_Gather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, root, handle.comm),
            "MPI_Gather");
  return sizes;
}

std::vector<std::vector<std::byte>> split(const std::vector<std::byte>& all,
                                          const std::vector<int>& sizes) {
  std::vector<std::vector<std::byte>> parts;
  auto begin = all.begin();
  for (int size : sizes) {
    parts.emplace_back(begin, begin + size);
    begin += size;
  }
  return parts;
}

}  // namespace

MpiSession::MpiSession(int& argc, char**& argv) {
  int running = 0;
  check_mpi(MPI_Initialized(&running), "MPI_Initialized");
  if (running == 0) {
    int provided = 0;
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    ends_mpi_ = true;
    if (provided < MPI_THREAD_SERIALIZED) {
      throw EnvironmentError("this MPI library does not allow calls from several threads in turn");
    }
  }
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

MpiSession::~MpiSession() {
  if (ends_mpi_) MPI_Finalize();
}

void abort_all_ranks(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

Communicator::Communicator(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

Communicator Communicator::world() {
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  return Communicator(std::make_unique<Handle>(comm));
}

Communicator Communicator::group(const Communicator& parent, const std::vector<int>& ranks) {
  if (!is_group_of(parent, ranks)) {
    throw std::logic_error("a group is an ascending list of ranks, this rank among them");
  }
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_group(parent.handle_->comm, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some),
            "MPI_Group_incl");
  check_mpi(MPI_Comm_create_group(parent.handle_->comm, some, group_tag, &comm),
            "MPI_Comm_create_group");
  check_mpi(MPI_Group_free(&some), "MPI_Group_free");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  return Communicator(std::make_unique<Handle>(comm));
}

int Communicator::rank() const {
  return handle_->rank;
}
int Communicator::size() const {
  return handle_->size;
}

void Communicator::barrier() const {
  check_mpi(MPI_Barrier(handle_->comm), "MPI_Barrier");
}

bool Communicator::all_arrive_within(double timeout_s) const {
  using Clock = std::chrono::steady_clock;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(handle_->comm, &request), "MPI_Ibarrier");
  const Clock::time_point begin = Clock::now();
  while (true) {
    int arrived = 0;
    const bool last_look = std::chrono::duration<double>(Clock::now() - begin).count() > timeout_s;
    check_mpi(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
    if (arrived != 0 || last_look) return arrived != 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Communicator::allreduce(std::span<float> values, AllreduceAlgorithm algorithm) const {
  sum_over_ranks(values, algorithm, *this, *handle_);
}

void Communicator::allreduce(std::span<double> values, AllreduceAlgorithm algorithm) const {
  sum_over_ranks(values, algorithm, *this, *handle_);
}

void Communicator::reduce_scatter(std::span<float> values, AllreduceAlgorithm algorithm) const {
  sum_shards(values, algorithm, *this, *handle_);
}

void Communicator::reduce_scatter(std::span<double> values, AllreduceAlgorithm algorithm) const {
  sum_shards(values, algorithm, *this, *handle_);
}

void Communicator::allgather(std::span<float> values, AllreduceAlgorithm algorithm) const {
  gather_shards(values, algorithm, *this, *handle_);
}

void Communicator::allgather(std::span<double> values, AllreduceAlgorithm algorithm) const {
  gather_shards(values, algorithm, *this, *handle_);
}

void Communicator::allgather(std::span<std::uint16_t> values, AllreduceAlgorithm algorithm) const {
  gather_shards(values, algorithm, *this, *handle_);
}

double Communicator::maximum(double value) const {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, handle_->comm),
            "MPI_Allreduce");
  return value;
}

std::vector<std::string> Communicator::gather(const std::string& text, int root) const {
  std::vector<std::string> all;
  for (const std::vector<char>& part : gather(std::span<const char>(text), root)) {
    all.emplace_back(part.begin(), part.end());
  }
  return all;
}

std::vector<std::vector<std::byte>> Communicator::gather_bytes(std::span<const std::byte> bytes,
                                                               int root) const {
  const std::vector<int> sizes = gather_sizes(bytes.size(), root, *handle_);
  std::vector<int> offsets(sizes.size());
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  message_count(total);
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  check_mpi(MPI_Gatherv(bytes.data(),
                        static_cast<int>(bytes.size()),
                        MPI_BYTE,
                        all.data(),
                        sizes.data(),
                        offsets.data(),
                        MPI_BYTE,
                        root,
                        handle_->comm),
            "MPI_Gatherv");
  return split(all, sizes);
}

std::vector<double> Communicator::all_gather(std::span<const double> values) const {
  std::vector<double> all;
  for (const auto& part : gather(values, 0)) all.insert(all.end(), part.begin(), part.end());
  all.resize(static_cast<std::size_t>(broadcast(static_cast<std::int64_t>(all.size()), 0)));
  const int count = message_count(static_cast<std::int64_t>(all.size()));
  check_mpi(MPI_Bcast(all.data(), count, MPI_DOUBLE, 0, handle_->comm), "MPI_Bcast");
  return all;
}

std::string Communicator::broadcast(const std::string& bytes, int root) const {
  const std::int64_t length = broadcast(static_cast<std::int64_t>(bytes.size()), root);
  std::string copy = rank() == root ? bytes : std::string(static_cast<std::size_t>(length), '\0');
  check_mpi(MPI_Bcast(copy.data(), message_count(length), MPI_CHAR, root, handle_->comm),
            "MPI_Bcast");
  return copy;
}

std::int64_t Communicator::broadcast(std::int64_t value, int root) const {
  check_mpi(MPI_Bcast(&value, 1, MPI_INT64_T, root, handle_->comm), "MPI_Bcast");
  return value;
}

}  // namespace cnnplan
