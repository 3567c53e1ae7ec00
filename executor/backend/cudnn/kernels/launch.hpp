// Runs a function object for many indices, or for many blocks of threads, on a GPU. nvcc compiles
// the sources that call it. For tests without a GPU they are compiled as C++, and the indices are a
// loop.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "executor/backend/host_device.hpp"

#ifndef __CUDACC__
#include <cstddef>
#include <functional>
#include <memory>
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

// A launch uses blocks of this size, in the sense of CUDA.
inline constexpr unsigned threads_per_block = 256;

// Names a thread of a launch of blocks.
struct BlockThread {
  std::uint32_t block = 0;
  std::uint32_t thread = 0;  // below threads_per_block
};

// Notes that a block has written its results, and returns true for the last of `count` blocks,
// which may read the results of all. One thread calls it in a stage of its own. `arrived` is 0 in
// memory of the device before the first block arrives, and after the last one.
CNNPLAN_HOST_DEVICE inline bool arrives_last(std::uint32_t* arrived, std::uint32_t count) {
#ifdef __CUDA_ARCH__
  __threadfence();
  const bool is_last = atomicAdd(arrived, 1U) + 1 == count;
  __threadfence();
#else
  const bool is_last = ++*arrived == count;
#endif
  if (is_last) *arrived = 0;
  return is_last;
}

#ifdef __CUDACC__

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

// Runs the stages of launch_blocks() from `stage` on.
template <int stage, typename Body>
__device__ void run_stages_from(const Body& body, typename Body::Shared& shared) {
  body.template run<stage>({blockIdx.x, threadIdx.x}, shared);
  if constexpr (stage + 1 < Body::stages) {
    __syncthreads();
    run_stages_from<stage + 1>(body, shared);
  }
}

template <typename Body>
__global__ void __launch_bounds__(threads_per_block, blocks_per_multiprocessor)
    run_blocks(Body body) {
  __shared__ typename Body::Shared shared;
  run_stages_from<0>(body, shared);
}

// Runs `blocks` blocks of threads_per_block threads, in any order. All threads of a block end a
// stage before one of them begins the next. A Body has a constant int stages, a type Shared without
// initial values for what the threads of a block share, and
// template <int stage> void run(BlockThread, Shared&) const. It puts the work in `stream`, with a
// copy of `body`. @pre blocks > 0 @throws as require_launchable() and check_launch()
template <typename Body>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, const Body& body) {
  require_launchable(blocks);
  run_blocks<<<static_cast<unsigned>(blocks), threads_per_block, 0, stream>>>(body);
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

// Runs the stages of one block from `stage` on.
template <int stage, typename Body>
void run_stages_from(const Body& body, std::uint32_t block, typename Body::Shared& shared) {
  for (std::uint32_t thread = 0; thread < threads_per_block; ++thread) {
    body.template run<stage>({block, thread}, shared);
  }
  if constexpr (stage + 1 < Body::stages) run_stages_from<stage + 1>(body, block, shared);
}

// Holds what the threads of a block share. Its bytes are set before each block, so that a number
// that no thread has written is not-a-number.
template <typename Shared>
class SharedMemory {
 public:
  Shared& renew() {
    auto* bytes = reinterpret_cast<unsigned char*>(shared_.get());
    for (std::size_t i = 0; i < sizeof(Shared); ++i) bytes[i] = 0xff;
    return *shared_;
  }

 private:
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

// The blocks do not run in the order of their numbers, so that no kernel relies on it.
template <typename Body>
void launch_blocks(cudaStream_t stream, std::int64_t blocks, const Body& body) {
  require_launchable(blocks);
  run_on_host(stream, [blocks, body] {
    SharedMemory<typename Body::Shared> shared;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const auto block = static_cast<std::uint32_t>((i + blocks / 2) % blocks);
      run_stages_from<0>(body, block, shared.renew());
    }
  });
  check_launch();
}

#endif

}  // namespace cnnplan::cudnn
