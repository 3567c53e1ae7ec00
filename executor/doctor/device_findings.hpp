// Says which kernel libraries the build has, and what they find on this machine.
#pragma once

#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Returns findings about oneDNN with its instruction set and precisions, the GPU with CUDA and
// cuDNN, NCCL, the Multi-Process Service of CUDA (MPS), and HDF5. It does not need MPI.
std::vector<Finding> device_findings();

}  // namespace cnnplan
