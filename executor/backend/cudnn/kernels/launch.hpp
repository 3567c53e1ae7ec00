// Runs a function object for many indices on a GPU. nvcc compiles the sources that call it. For
// tests without a GPU they are compiled as C++, and the indices are a loop.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#ifndef __CUDACC__
#include <functional>
#endif

namespace cnnplan::cudnn {

// A launch has fewer indices than this, because kernels compute with indices of 32 bits.
inline constexpr std::int64_t most_indices = std::int64_t{1} << 31;

// Checks the last launch. launch.cpp defines it, so that this header needs no errors of the
// runtime.
// @throws as check_cuda() when the launch failed
void check_launch();
// Checks a number of indices. @throws BackendError unless 0 <= count < most_indices
void require_launchable(std::int64_t count);

#ifdef __CUDACC__

// A launch uses blocks of this size, in the sense of CUDA.
inline constexpr unsigned threads_per_block = 256;
// A multiprocessor must be able to hold this many blocks. More blocks would leave each thread too
// few registers to keep reads in flight.
inline constexpr unsigned blocks_per_multiprocessor = 2;

template <typename Body>
__global__ void __launch_bounds__(threads_per_block, blocks_per_multiprocessor)
    run_indices(std::uint32_t count, Body body) {
  const std::uint32_t index = blockIdx.x * threads_per_block + threadIdx.x;
  if (index < count) body(index);
}

// Calls body(index) for every index in [0, count), in any order, on a copy of `body`. It puts the
// work in `stream`. @throws as require_launchable() and check_launch()
template <typename Body>
void launch(cudaStream_t stream, std::int64_t count, const Body& body) {
  require_launchable(count);
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block);
  run_indices<<<blocks, threads_per_block, 0, stream>>>(static_cast<std::uint32_t>(count), body);
  check_launch();
}

#else

// Puts `work` in the stream. The emulation of the CUDA runtime (tests/emulation) defines it.
void run_on_host(cudaStream_t stream, std::function<void()> work);

template <typename Body>
void launch(cudaStream_t stream, std::int64_t count, const Body& body) {
  require_launchable(count);
  if (count == 0) return;
  run_on_host(stream, [count, body] {
    for (std::int64_t i = 0; i < count; ++i) body(static_cast<std::uint32_t>(i));
  });
  check_launch();
}

#endif

}  // namespace cnnplan::cudnn
