// Holds what one of our own kernels needs in addition to its operands.
#pragma once

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/operands_by_role.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

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
