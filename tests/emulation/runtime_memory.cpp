// Gives the calls of the CUDA runtime that allocate and free memory.
#include <algorithm>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

std::size_t free_bytes() {
  return machine().options.memory_bytes - machine().memory.used_bytes(thread_state().device);
}

cudaError_t allocate_device(void** address, std::size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  constexpr std::size_t unit = 256;
  if (bytes > free_bytes() || (bytes + unit - 1) / unit * unit > free_bytes()) {
    return cudaErrorMemoryAllocation;
  }
  Machine& all = machine();
  *address = all.memory.allocate(bytes, thread_state().device);
  ++all.counters.allocations;
  std::size_t used = 0;
  for (int device = 0; device < all.options.device_count; ++device) {
    used += all.memory.used_bytes(device);
  }
  all.counters.peak_bytes = std::max(all.counters.peak_bytes, used);
  return cudaSuccess;
}

cudaError_t allocate_pinned(void** address, std::size_t bytes) {
  if (address == nullptr) return cudaErrorInvalidValue;
  *address = bytes == 0 ? nullptr : machine().pinned.allocate(bytes);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return call_outside_capture(__func__, [&] { return allocate_device(address, bytes); });
}

// Waits for the device first, as CUDA does.
cudaError_t cudaFree(void* address) {
  return call_outside_capture(__func__, [&] {
    if (address == nullptr) return cudaSuccess;
    const cudaError_t error = wait_for_device();
    return machine().memory.release(address) ? error : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  return call_outside_capture(__func__, [&] { return allocate_pinned(address, bytes); });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned int flags) {
  return call_outside_capture(__func__, [&] {
    constexpr unsigned int known =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~known) != 0) return cudaErrorInvalidValue;
    return allocate_pinned(address, bytes);
  });
}

// Does not wait. A copy that still has to run then fails with cudaErrorIllegalAddress.
cudaError_t cudaFreeHost(void* address) {
  return call_outside_capture(__func__, [&] {
    if (address == nullptr || machine().pinned.release(address)) return cudaSuccess;
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(__func__, [&] {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *free = free_bytes();
    *total = machine().options.memory_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return call(__func__, [&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = machine().memory.device_of(address);
    void* plain = const_cast<void*>(address);
    if (attributes->device >= 0) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = plain;
    } else if (machine().pinned.holds(address, 1)) {
      attributes->type = cudaMemoryTypeHost;
      attributes->device = thread_state().device;
      attributes->devicePointer = plain;
      attributes->hostPointer = plain;
    } else {
      attributes->device = -2;  // cudaInvalidDeviceId
      attributes->hostPointer = plain;
    }
    return cudaSuccess;
  });
}
