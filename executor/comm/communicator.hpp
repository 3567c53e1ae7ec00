// Ranks and groups of ranks over MPI. Only the sources here and mpi_handle.hpp know MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/tensor_view.hpp"
#include "planner/model/collective.hpp"
#include "planner/model/transfer.hpp"

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
  void allreduce(std::span<float> values, AllreduceAlgorithm algorithm) const;
  void allreduce(std::span<double> values, AllreduceAlgorithm algorithm) const;
  double maximum(double value) const;
  // Bytes of every rank at rank `root`, in rank order; empty elsewhere. Collective.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int root) const;
  // Makes `bytes` of `root` known everywhere. Collective.
  std::string broadcast(const std::string& bytes, int root) const;
  std::int64_t broadcast(std::int64_t value, int root) const;

  struct Handle;  // defined where MPI is known
  const Handle& handle() const { return *handle_; }

 private:
  explicit Communicator(std::unique_ptr<Handle> handle);
  std::unique_ptr<Handle> handle_;
};

}  // namespace cnnplan
