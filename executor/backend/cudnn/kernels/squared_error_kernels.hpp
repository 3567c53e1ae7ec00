// Mean squared error on memory of the device.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

std::int64_t squared_error_workspace_bytes(const KernelSpec& spec);
// Operands as KernelSpec documents them.
void mean_squared_error(const KernelSpec& spec,
                        double loss_count,
                        const StepValues* step,
                        void* workspace,
                        Operands operands,
                        cudaStream_t stream);

}  // namespace cnnplan::cudnn
