// Copies and adds blocks in memory of the device.
#pragma once

#include <cuda_runtime_api.h>

#include "executor/backend/box_copy.hpp"

namespace cnnplan::cudnn {

// Both functions put their work in `stream`.
// @throws BackendError for 2^31 elements or more, and where a launch fails; DeviceLostError where
// no later call of this process can succeed

// Computes destination = source. @pre zeros after runs fill words of 16 bytes in 16-bit elements
void copy_runs(const BoxCopy& copy, cudaStream_t stream);
// Computes destination += source. 16-bit numbers are added in float.
void add_runs(const BoxCopy& copy, cudaStream_t stream);

}  // namespace cnnplan::cudnn
