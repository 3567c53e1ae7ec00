// Ranks and groups of ranks over MPI. Only the sources here and mpi_handle.hpp know MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "executor/backend/tensor_view.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Starts MPI when it is not running and ends it in the destructor. One per program.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

 private:
  bool ends_mpi_ = false;
};

// Ends all ranks with `exit_code`. For errors that are not shared by all ranks.
[[noreturn]] void abort_all_ranks(int exit_code);

// A set of ranks; the ranks of a group are numbered 0 .. size()-1 in the order of its list.
// Move-only owner of an MPI communicator. Errors are CommError.
class Communicator {
 public:
  // All ranks of the program.
  static Communicator world();
  // Collective over `parent`: every rank passes the same list for the groups that it is in. Ranks
  // are numbers in `parent`, ascending; this rank is among them.
  static Communicator group(const Communicator& parent, const std::vector<int>& ranks);

  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  void barrier() const;
  // Waits for all ranks to call it, at most `timeout_s`; false when some did not, and then the
  // communicator is of no further use. Collective.
  bool all_arrive_within(double timeout_s) const;
  // Sums in place over all ranks. Collective, blocking; the result is the same bits on every rank.
  // `hierarchical` takes every rank for a node of its own.
  void allreduce(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void allreduce(std::span<double> values, AllreduceAlgorithm algorithm) const;
  // Halves of an allreduce that has them, in place; each rank has, or ends with, its shard
  // (planner/tensor/shard.hpp). What else was in the values is lost by a reduce-scatter.
  // Collective, blocking.
  void reduce_scatter(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void reduce_scatter(std::span<double> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<double> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<std::uint16_t> values, AllreduceAlgorithm algorithm) const;
  double maximum(double value) const;
  // Values of every rank at rank `root`, in rank order; empty elsewhere. T is trivially copyable.
  // Collective.
  template <typename T>
  std::vector<std::vector<T>> gather(std::span<const T> values, int root) const;
  std::vector<std::string> gather(const std::string& text, int root) const;
  // Values of all ranks, one after another in rank order, on every rank. Collective.
  std::vector<double> all_gather(std::span<const double> values) const;
  // Makes `bytes` of `root` known everywhere. Collective.
  std::string broadcast(const std::string& bytes, int root) const;
  std::int64_t broadcast(std::int64_t value, int root) const;

  struct Handle;  // defined where MPI is known
  const Handle& handle() const { return *handle_; }

 private:
  explicit Communicator(std::unique_ptr<Handle> handle);
  std::vector<std::vector<std::byte>> gather_bytes(std::span<const std::byte> bytes,
                                                   int root) const;
  std::unique_ptr<Handle> handle_;
};

template <typename T>
std::vector<std::vector<T>> Communicator::gather(std::span<const T> values, int root) const {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<std::vector<T>> all;
  for (const std::vector<std::byte>& bytes : gather_bytes(std::as_bytes(values), root)) {
    std::vector<T>& part = all.emplace_back(bytes.size() / sizeof(T));
    if (!part.empty()) std::memcpy(part.data(), bytes.data(), bytes.size());
  }
  return all;
}

}  // namespace cnnplan
