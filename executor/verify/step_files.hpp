// Keeps the dumps of the steps that a verification compares, in a temporary folder.
#pragma once

#include <string>
#include <vector>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Owns a folder on the node of rank 0. Rank 0 makes and removes the folder and writes all its
// files. All ranks know its path. A rank on this node that leaves by an exception removes the
// folder, too, because rank 0 may wait for this rank in vain until the program is ended.
class TemporaryFolder {
 public:
  // This call is collective, and all ranks throw if the folder cannot be made.
  // @throws IoError on rank 0, and Error with its exit code and message on other ranks
  explicit TemporaryFolder(const Communicator& world);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  // Returns the path of a file in the folder.
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  bool is_own_;
  int exceptions_;  // that were in flight when this object was made
  std::string path_;
};

// Describes the first state of a step in double.
struct FirstState {
  std::string dump;          // of the plan's step, which has left the weights as they were
  std::string weights_file;  // that the user gave; empty: none
  Precision precision = Precision::fp32;  // of the plan
  double change = 0.0;  // weights are multiplied by 1 - change and 1 + change, in turn
  bool copies = false;  // true: convolutions read copies of weights in the activations' element
};

// Writes to `file` the changed weights of the dump, and the running values before the step: those
// of the weights file, else means of 0 and variances of 1.
// @throws IoError, InputError
void write_first_state(const std::string& file,
                       const FirstState& state,
                       const std::vector<DumpedTensor>& tensors);

}  // namespace cnnplan
