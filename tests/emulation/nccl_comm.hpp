// A communicator of emulated NCCL: one rank per process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nccl.h>

#include "tests/emulation/nccl_board.hpp"

struct ncclComm {
  ncclComm(cnnplan::emulation::SharedFile meeting_file, std::string name);

  cnnplan::emulation::Meeting& meeting() const;
  // Gives this rank's part of a reduction to all ranks. Does not block.
  void publish(std::size_t operation, const void* from, std::size_t count, ncclDataType_t type);
  // True when the parts of all ranks are there.
  bool complete(std::size_t operation) const;
  // Adds up the parts of all ranks, in their order. Blocks until they are there.
  void collect(std::size_t operation, void* to, std::size_t count, ncclDataType_t type);

  int ranks = 0;
  int rank = 0;
  int device = 0;
  std::size_t operations = 0;  // numbers them, in the order of the calls

 private:
  std::string file_of(std::size_t operation, int of_rank) const;

  cnnplan::emulation::SharedFile meeting_file_;
  std::string name_;
  std::map<std::size_t, int> runs_;  // of each operation: more than one when it was captured
};

namespace cnnplan::emulation {

std::size_t bytes_of(ncclDataType_t type);  // 0 when not emulated

}  // namespace cnnplan::emulation
