// Holds what one of our own kernels needs in addition to its operands.
#pragma once

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/operands_by_role.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Functions that take a call put their work in `stream` and return before it is done. Operands are
// in memory of the device. The workspace may be null where no function says how large it must be.
// @throws BackendError or DeviceLostError where a launch fails
struct KernelCall {
  const KernelSpec& spec;
  const KernelConstants& constants;
  const StepValues* step = nullptr;  // is in memory of the device
  void* workspace = nullptr;         // is in memory of the device
  cudaStream_t stream = nullptr;

  template <typename T>
  T* workspace_as() const {
    return static_cast<T*>(workspace);
  }
};

}  // namespace cnnplan::cudnn
