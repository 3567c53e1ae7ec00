// Memory of the card is cleared by a stream, memory of the host by the processor.
#include "executor/backend/cudnn/cuda/cuda_memory.hpp"

#include <algorithm>

#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {

std::int64_t free_device_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

// There is a reserve because the CUDA runtime, cuDNN and NCCL allocate modules and buffers of their
// own later.
std::int64_t without_reserve(std::int64_t free_bytes) {
  constexpr std::int64_t least_reserve = std::int64_t{256} << 20;
  constexpr std::int64_t reserve_part = 32;
  return free_bytes - std::min(free_bytes / 2, std::max(least_reserve, free_bytes / reserve_part));
}

MemoryBlock allocate_on_device(const std::string& device, std::int64_t bytes, cudaStream_t stream) {
  if (bytes == 0) return {};
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // The exception reports the error.
    throw InfeasibleError(device + ": memory", bytes, free_device_bytes());
  }
  check_cuda(status, "cudaMalloc");
  MemoryBlock block(memory, bytes, [](void* owned) { cudaFree(owned); });
  clear_bytes(memory, bytes, stream);
  check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return block;
}

MemoryBlock allocate_pinned(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* memory = nullptr;
  const cudaError_t status = cudaMallocHost(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // The exception reports the error.
    throw OutOfMemoryError("memory ran out: the system did not give " + bytes_text(bytes) +
                           " of page-locked memory");
  }
  check_cuda(status, "cudaMallocHost");
  // After an exception, copies may still run. cudaFreeHost does not wait for them.
  MemoryBlock block(memory, bytes, [](void* owned) {
    cudaDeviceSynchronize();
    cudaFreeHost(owned);
  });
  std::fill_n(block.data(), bytes, std::byte{0});
  return block;
}

void clear_bytes(void* memory, std::int64_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  check_cuda(cudaMemsetAsync(memory, 0, bytes, stream), "cudaMemsetAsync");
}

void copy_bytes(
    void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream), "cudaMemcpyAsync");
}

}  // namespace cnnplan::cudnn
