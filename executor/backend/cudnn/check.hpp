// Turns status codes of the CUDA runtime and of cuDNN into exceptions.
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace cnnplan::cudnn {

// @throws BackendError naming `call` and the library's words for it; EnvironmentError where there
// is no device or no driver
void check_cuda(cudaError_t status, const char* call);
void check_cudnn(cudnnStatus_t status, const char* call);

}  // namespace cnnplan::cudnn
