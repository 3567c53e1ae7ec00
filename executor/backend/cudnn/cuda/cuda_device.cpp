// Hands each call of the device to the part that does it, with the selected stream.
#include "executor/backend/cudnn/cuda/cuda_device.hpp"

#include <algorithm>

#include "executor/backend/cudnn/cuda/cuda_memory.hpp"
#include "executor/backend/cudnn/cuda/stream_work.hpp"
#include "executor/backend/cudnn/kernels/box_kernels.hpp"
#include "executor/backend/cudnn/kernels/finite_kernels.hpp"

namespace cnnplan::cudnn {

CudaDevice::CudaDevice(int index)
    : properties_(use_device(index)), free_at_first_bytes_(free_device_bytes()) {}

std::int64_t CudaDevice::memory_bytes() const {
  return without_reserve(free_at_first_bytes_);
}

std::int64_t CudaDevice::peak_bytes() const {
  return std::max<std::int64_t>(0, free_at_first_bytes_ - free_device_bytes());
}

MemoryBlock CudaDevice::allocate(std::int64_t bytes) {
  return allocate_on_device(properties_.name, bytes, stream());
}

MemoryBlock CudaDevice::allocate_staging(std::int64_t bytes) {
  return allocate_pinned(bytes);
}

void CudaDevice::clear(void* memory, std::int64_t bytes) {
  clear_bytes(memory, bytes, stream());
}

void CudaDevice::copy_to_host(void* host, const void* device, std::int64_t bytes) {
  copy_bytes(host, device, bytes, cudaMemcpyDeviceToHost, stream());
}

void CudaDevice::copy_to_device(void* device, const void* host, std::int64_t bytes) {
  copy_bytes(device, host, bytes, cudaMemcpyHostToDevice, stream());
}

void CudaDevice::copy(const BoxCopy& copy) {
  copy_runs(copy, stream());
}

void CudaDevice::add(const BoxCopy& copy) {
  add_runs(copy, stream());
}

bool CudaDevice::are_finite(ElementType element, const void* memory, std::int64_t count) {
  constexpr std::int64_t word_bytes = sizeof(std::uint32_t);
  if (found_.size_bytes() == 0) {
    found_ = allocate(word_bytes);
    found_copy_ = allocate_staging(word_bytes);
  }
  clear(found_.data(), word_bytes);
  auto* const found = reinterpret_cast<std::uint32_t*>(found_.data());
  mark_not_finite(element, memory, count, found, stream());
  copy_to_host(found_copy_.data(), found_.data(), word_bytes);
  synchronize();
  return *reinterpret_cast<const std::uint32_t*>(found_copy_.data()) == 0;
}

std::unique_ptr<Event> CudaDevice::make_event() {
  return make_cuda_event(streams_);
}

std::unique_ptr<WorkGraph> CudaDevice::capture(const std::function<void()>& enqueue) {
  return capture_graph(streams_, enqueue);
}

}  // namespace cnnplan::cudnn
