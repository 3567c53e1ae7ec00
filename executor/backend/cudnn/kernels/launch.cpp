// Checks the size of a launch, and its error.
#include "executor/backend/cudnn/kernels/launch.hpp"

#include <string>

#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {

void check_launch() {
  check_cuda(cudaGetLastError(), "kernel launch");
}

void require_launchable(std::int64_t count) {
  if (count >= 0 && count < most_indices) return;
  throw BackendError("cudnn: a block of " + std::to_string(count) +
                     " elements, where a kernel takes " + std::to_string(most_indices - 1));
}

}  // namespace cnnplan::cudnn
