// Looks for the Multi-Process Service of CUDA (MPS), with which processes use a GPU at one time.
#pragma once

#include <string>

namespace cnnplan {

// Says whether the daemon of MPS runs on this node for this process.
struct MpsState {
  bool is_running = false;
  std::string folder;  // in which the daemon makes its pipes
  std::string error;   // why the folder cannot be looked into; empty: it was
};

// Looks for the pipe of the daemon in the folder that CUDA_MPS_PIPE_DIRECTORY names, or in the
// folder that CUDA takes where it is not set.
MpsState find_mps();

}  // namespace cnnplan
