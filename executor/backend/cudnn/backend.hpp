// Makes the backend for NVIDIA GPUs. cuDNN computes convolutions, and our own kernels do what is
// bound by memory.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// @throws EnvironmentError where there is no such device
std::unique_ptr<Backend> make_backend(const Options& options);

}  // namespace cnnplan::cudnn
