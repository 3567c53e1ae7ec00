// Where kernels that were compiled for the host enter a stream.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace cnnplan::emulation {

// Like a kernel launch: returns at once, `work` runs later (again at each replay when the stream is
// being captured), and what is wrong with the launch is told by cudaGetLastError.
void enqueue(cudaStream_t stream, std::function<void()> work);

}  // namespace cnnplan::emulation

namespace cnnplan::cudnn {

// The same; what the project's launch helper calls when nvcc does not compile it.
void run_on_host(cudaStream_t stream, std::function<void()> work);

}  // namespace cnnplan::cudnn
