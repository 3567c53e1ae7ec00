// Makes the backend for NVIDIA GPUs. cuDNN computes convolutions, and our own kernels do everything
// else.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// Makes options.device the current device of this thread, and returns a backend for it.
// @throws EnvironmentError where no GPU can be used; BackendError where a call fails, also for an
// index out of range; InfeasibleError where the GPU has no free memory
std::unique_ptr<Backend> make_backend(const Options& options);

}  // namespace cnnplan::cudnn
