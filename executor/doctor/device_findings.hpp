// Says which kernel libraries the build has, and what they find on this machine.
#pragma once

#include <vector>

#include "planner/doctor/finding.hpp"

namespace cnnplan {

// Returns oneDNN with its instruction set and precisions, the GPU with CUDA and cuDNN, NCCL, MPS,
// and HDF5. MPI does not run.
std::vector<Finding> device_findings();

}  // namespace cnnplan
