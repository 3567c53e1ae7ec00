// Allocates memory of the current GPU, and memory of the host from which it copies fastest. All
// functions that call the GPU throw as check_cuda(), too.
#pragma once

#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>

#include "executor/backend/memory_block.hpp"

namespace cnnplan::cudnn {

// Returns the free bytes of the current device.
std::int64_t free_device_bytes();
// Returns the part of `free_bytes` that plans may use: it subtracts a reserve for libraries. It
// calls no GPU.
std::int64_t without_reserve(std::int64_t free_bytes);
// Returns zeroed memory of the current device. It blocks until `stream` has cleared the memory.
// @throws InfeasibleError where the device lacks the memory; the message calls it `device`
MemoryBlock allocate_on_device(const std::string& device, std::int64_t bytes, cudaStream_t stream);
// Returns zeroed, page-locked memory of the host.
// @throws OutOfMemoryError where the system does not give as much
MemoryBlock allocate_pinned(std::int64_t bytes);

// Clears memory in the order of `stream`.
void clear_bytes(void* memory, std::int64_t bytes, cudaStream_t stream);
// Copies in the direction `kind`, in the order of `stream`. Memory of the host must stay until the
// stream has copied it.
void copy_bytes(
    void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind, cudaStream_t stream);

}  // namespace cnnplan::cudnn
