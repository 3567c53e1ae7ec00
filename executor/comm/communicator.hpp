// Ranks talk to each other through a Communicator, which hides MPI: only the sources of this folder
// call MPI, and those of the doctor, which need no communicator.
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
#include "executor/comm/watch/lasting.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Starts MPI if it is not running, and then also ends it in the destructor. A program has one
// session.
class MpiSession {
 public:
  // Takes the arguments of main(). It is collective over all ranks of the program, as is the
  // destructor.
  // @throws CommError; EnvironmentError where MPI refuses calls from several threads in turn
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

 private:
  bool ends_mpi_ = false;
};

// Ends all ranks of the program with `exit_code`. It is for errors that only some ranks see.
[[noreturn]] void abort_all_ranks(int exit_code);

// A communicator is a set of ranks, and the ranks of a group are numbered 0 .. size()-1 in the
// order of its list. The class is the move-only owner of an MPI communicator, and its errors are
// CommError. One thread at a time may call it. A message has at most 2^31 - 1 elements. A gather
// brings at most 2^31 - 1 bytes to its root.
class Communicator {
 public:
  // Makes a communicator of all ranks of the program, over which it is collective.
  static Communicator world();
  // Makes the communicator of some ranks of `parent`. `ranks` holds their numbers in `parent` in
  // ascending order, this rank's among them. It is collective over the group: its ranks pass equal
  // lists. @throws std::logic_error for another list
  static Communicator group(const Communicator& parent, const std::vector<int>& ranks);

  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  // Blocks until all ranks have called it. It is collective.
  void barrier() const;
  // Waits at most `timeout_s` until all ranks have called it. False means that some did not come,
  // and the communicator is then of no further use. This call is collective.
  bool all_arrive_within(double timeout_s) const;
  // Sums in place over all ranks, which pass equal numbers of values. All algorithms except
  // `library` give every rank identical bits. `hierarchical` treats every rank as a node of its
  // own. These calls are collective and block.
  void allreduce(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void allreduce(std::span<double> values, AllreduceAlgorithm algorithm) const;
  // Runs one half of an allreduce in place, for algorithms that have halves. A reduce-scatter
  // leaves only this rank's shard (planner/tensor/shard.hpp) valid; an allgather spreads the shards
  // to all ranks. These calls are collective and block.
  // @throws std::logic_error for an algorithm without halves
  void reduce_scatter(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void reduce_scatter(std::span<double> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<double> values, AllreduceAlgorithm algorithm) const;
  void allgather(std::span<std::uint16_t> values, AllreduceAlgorithm algorithm) const;
  // Returns the largest value of all ranks. This call is collective and blocks.
  double maximum(double value) const;
  // Rank `root` gets the values of every rank, in rank order; the others get an empty list. T is
  // trivially copyable. Ranks may pass different numbers of values. These calls are collective and
  // block.
  template <typename T>
  std::vector<std::vector<T>> gather(std::span<const T> values, int root) const;
  std::vector<std::string> gather(const std::string& text, int root) const;
  // Every rank gets the values of all ranks, one after another in rank order. Ranks may pass
  // different numbers of values. This call is collective and blocks.
  std::vector<double> all_gather(std::span<const double> values) const;
  // Every rank gets the `bytes`, or the value, of `root`. These calls are collective and block.
  std::string broadcast(const std::string& bytes, int root) const;
  std::int64_t broadcast(std::int64_t value, int root) const;

  struct Handle;  // defined in mpi_handle.hpp, for sources that call MPI
  const Handle& handle() const { return *handle_; }

 private:
  explicit Communicator(std::unique_ptr<Handle> handle);
  std::vector<std::vector<std::byte>> gather_bytes(std::span<const std::byte> bytes,
                                                   int root) const;
  std::unique_ptr<Handle> handle_;
};

// Returns the ranks of the group in the whole program. The list lives until the program ends.
const RankList& members_of(const Communicator& communicator);

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
