// Turns status codes of the CUDA runtime and of cuDNN into exceptions.
#pragma once

#include <cuda_runtime_api.h>
#include <cudnn.h>

namespace cnnplan::cudnn {

// True where the status says that the machine has no device, or no driver that can use it.
bool says_no_device(cudaError_t status);

// @throws EnvironmentError where there is no device or no driver, DeviceLostError where no later
// call of this process can succeed, DeviceMemoryError where the device lacks memory, else
// BackendError. The message names `call` and the library's words.
void check_cuda(cudaError_t status, const char* call);
// @throws DeviceMemoryError where the library lacks memory, else BackendError. The message names
// `call` and the library's words.
void check_cudnn(cudnnStatus_t status, const char* call);

}  // namespace cnnplan::cudnn
