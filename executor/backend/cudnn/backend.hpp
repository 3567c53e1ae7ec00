// The backend for NVIDIA GPUs: cuDNN for convolutions, own kernels for all that is bound by memory.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"
#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// @throws EnvironmentError where there is no such device
std::unique_ptr<Backend> make_backend(const Options& options);

}  // namespace cnnplan::cudnn
