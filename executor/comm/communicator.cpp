// Makes communicators, and moves texts and lists between their ranks by MPI.
#include "executor/comm/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "executor/comm/mpi_handle.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

bool is_group_of(const Communicator& parent, const std::vector<int>& ranks) {
  return !ranks.empty() && ranks.front() >= 0 && ranks.back() < parent.size() &&
         std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end() &&
         std::binary_search(ranks.begin(), ranks.end(), parent.rank());
}

// Rank `root` gets the sizes of all ranks; the others get an empty list.
std::vector<int> gather_sizes(const Communicator& communicator, int own_bytes, int root) {
  std::vector<int> sizes(communicator.rank() == root ? communicator.size() : 0);
  const Wait wait("MPI_Gather", members_of(communicator));
  check_mpi(MPI_Gather(
                &own_bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, root, communicator.handle().comm),
            "MPI_Gather");
  return sizes;
}

// Before MPI runs and after it has ended, this rank waits for ranks that it cannot name.
const RankList& no_ranks() {
  return lasting(RankList{});
}

const RankList& all_ranks() {
  int size = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  RankList ranks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  return lasting(ranks);
}

const RankList& world_ranks(const Communicator& parent, RankList ranks) {
  for (int& rank : ranks) rank = members_of(parent).at(rank);
  return lasting(ranks);
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
    const Wait wait("MPI_Init_thread", no_ranks());
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    ends_mpi_ = true;
    if (provided < MPI_THREAD_SERIALIZED) {
      throw EnvironmentError("this MPI library does not allow calls from several threads in turn");
    }
  }
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

MpiSession::~MpiSession() {
  if (!ends_mpi_) return;
  const Wait wait("MPI_Finalize", all_ranks());
  MPI_Finalize();
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
  {
    const Wait wait("MPI_Comm_dup", all_ranks());
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
  }
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
  {
    const Wait wait("MPI_Comm_create_group", world_ranks(parent, ranks));
    check_mpi(MPI_Comm_create_group(parent.handle_->comm, some, group_tag, &comm),
              "MPI_Comm_create_group");
  }
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
const RankList& members_of(const Communicator& communicator) {
  return *communicator.handle().members;
}

void Communicator::barrier() const {
  const Wait wait("MPI_Barrier", members_of(*this));
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
  handle_->collectives.allreduce(*this, values, algorithm);
}

void Communicator::allreduce(std::span<double> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.allreduce(*this, values, algorithm);
}

void Communicator::reduce_scatter(std::span<float> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.reduce_scatter(*this, values, algorithm);
}

void Communicator::reduce_scatter(std::span<double> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.reduce_scatter(*this, values, algorithm);
}

void Communicator::allgather(std::span<float> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.allgather(*this, values, algorithm);
}

void Communicator::allgather(std::span<double> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.allgather(*this, values, algorithm);
}

void Communicator::allgather(std::span<std::uint16_t> values, AllreduceAlgorithm algorithm) const {
  handle_->collectives.allgather(*this, values, algorithm);
}

double Communicator::maximum(double value) const {
  const Wait wait("MPI_Allreduce", members_of(*this));
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
  const int own_bytes = message_count(std::ssize(bytes));
  const std::vector<int> sizes = gather_sizes(*this, own_bytes, root);
  std::vector<int> offsets(sizes.size());
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  message_count(total);
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  std::vector<std::byte> all(total);
  const Wait wait("MPI_Gatherv", members_of(*this));
  check_mpi(MPI_Gatherv(bytes.data(),
                        own_bytes,
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
  all.resize(broadcast(std::ssize(all), 0));
  const int count = message_count(std::ssize(all));
  const Wait wait("MPI_Bcast", members_of(*this));
  check_mpi(MPI_Bcast(all.data(), count, MPI_DOUBLE, 0, handle_->comm), "MPI_Bcast");
  return all;
}

std::string Communicator::broadcast(const std::string& bytes, int root) const {
  const std::int64_t length = broadcast(std::ssize(bytes), root);
  std::string copy = rank() == root ? bytes : std::string(length, '\0');
  const Wait wait("MPI_Bcast", members_of(*this));
  check_mpi(MPI_Bcast(copy.data(), message_count(length), MPI_CHAR, root, handle_->comm),
            "MPI_Bcast");
  return copy;
}

std::int64_t Communicator::broadcast(std::int64_t value, int root) const {
  const Wait wait("MPI_Bcast", members_of(*this));
  check_mpi(MPI_Bcast(&value, 1, MPI_INT64_T, root, handle_->comm), "MPI_Bcast");
  return value;
}

}  // namespace cnnplan
