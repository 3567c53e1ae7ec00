// Declares how kernels that are compiled for the host enter a stream.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace cnnplan::emulation {

// Returns at once, like a kernel launch, and `work` runs later (again at each replay when the
// stream is captured). cudaGetLastError returns the error of the launch.
void enqueue(cudaStream_t stream, std::function<void()> work);

}  // namespace cnnplan::emulation

namespace cnnplan::cudnn {

// Does what enqueue does. The project's launch helper calls it when nvcc does not compile the
// helper.
void run_on_host(cudaStream_t stream, std::function<void()> work);

}  // namespace cnnplan::cudnn
