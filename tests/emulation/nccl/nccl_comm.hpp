// Holds a communicator of emulated NCCL: one rank per process.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nccl.h>

#include "tests/emulation/nccl/nccl_board.hpp"
#include "tests/emulation/scheduler.hpp"

namespace cnnplan::emulation {

std::size_t bytes_of(ncclDataType_t type);  // 0 when not emulated

enum class Collective { all_reduce, reduce_scatter, all_gather };

struct Values {
  const void* data = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclFloat32;
};

}  // namespace cnnplan::emulation

struct ncclComm {
  ncclComm(cnnplan::emulation::SharedFile meeting_file, std::string name);

  cnnplan::emulation::Meeting& meeting() const;
  // Gives this rank's part of a collective to all ranks. It does not block.
  void publish(std::size_t operation, const cnnplan::emulation::Values& from);
  // Returns true when the parts of all ranks are there.
  bool complete(std::size_t operation) const;
  // Waits, as work that failed does in NCCL, until this rank aborts the communicator.
  // @throws std::runtime_error
  void wait_for_abort();
  // Adds up the parts of all ranks in their order, or this rank's share of each, or concatenates
  // them. It blocks until they are there.
  void collect(std::size_t operation, cnnplan::emulation::Collective kind, void* to);

  int ranks = 0;
  int rank = 0;
  int device = 0;
  std::size_t operations = 0;        // numbers them, in the order of the calls
  cnnplan::emulation::ItemPtr last;  // the work of the last operation, which the next one follows
  std::atomic<bool> is_aborted{false};    // by this rank, which ends all its waits
  std::atomic<int> failure{ncclSuccess};  // of work of this rank

 private:
  std::string file_of(std::size_t operation, int of_rank) const;
  // Waits until the parts of all ranks are there. Removes this rank's part when they cannot come.
  void wait_for_parts(std::size_t operation);
  void take(const cnnplan::emulation::SharedFile& part,
            int of_rank,
            cnnplan::emulation::Collective kind,
            void* to) const;

  cnnplan::emulation::SharedFile meeting_file_;
  std::string name_;
  std::map<std::size_t, int> runs_;  // of each operation: more than one when it was captured
};
