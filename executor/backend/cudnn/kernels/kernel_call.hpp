// Holds what one of our own kernels needs in addition to its operands.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/operands_by_role.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Blocks of threads that share a sum count their arrivals with one of these counters.
inline constexpr std::int64_t arrival_counters = 132;

// Says where sums over positions (column_sums.hpp) put what they add up later, and in which stream
// they run.
struct SumScratch {
  void* memory = nullptr;  // is in memory of the device
  // Holds arrival_counters counters in memory of the device. They are 0 whenever no kernel of the
  // stream runs.
  std::uint32_t* arrived = nullptr;
  cudaStream_t stream = nullptr;
};

// Functions that take a call put their work in `stream` and return before it is done. Operands are
// in memory of the device. The workspace may be null where no function says how large it must be.
// @throws BackendError or DeviceLostError where a launch fails
struct KernelCall {
  const KernelSpec& spec;
  const KernelConstants& constants;
  const StepValues* step = nullptr;  // is in memory of the device
  void* workspace = nullptr;         // is in memory of the device
  std::uint32_t* arrived = nullptr;  // as in SumScratch; may be null where the workspace may be
  cudaStream_t stream = nullptr;

  template <typename T>
  T* workspace_as() const {
    return static_cast<T*>(workspace);
  }
  // Returns the scratch memory of sums that begins at `memory`, a part of the workspace.
  SumScratch sums_at(void* memory) const { return {memory, arrived, stream}; }
  SumScratch sums() const { return sums_at(workspace); }
};

}  // namespace cnnplan::cudnn
