// Implements copies and fills of the CUDA runtime. Device memory and page-locked memory are read
// and written when the work runs. Ordinary host memory is read when the call is made, and written
// before it returns.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

enum class Place { device, pinned, pageable, mixed };

Place place_of(const void* address, std::size_t bytes) {
  const Machine& all = machine();
  if (all.memory.holds(address, bytes)) return Place::device;
  if (all.memory.touches(address, bytes)) return Place::mixed;
  return all.pinned.holds(address, bytes) ? Place::pinned : Place::pageable;
}

bool is_still(Place place, const void* address, std::size_t bytes) {
  return place == Place::pageable || place_of(address, bytes) == place;
}

struct Transfer {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  Place to_place = Place::mixed;
  Place from_place = Place::mixed;
};

cudaError_t check(const Transfer& transfer, cudaMemcpyKind kind) {
  if (transfer.to == nullptr || transfer.from == nullptr) return cudaErrorInvalidValue;
  if (transfer.to_place == Place::mixed || transfer.from_place == Place::mixed) {
    return cudaErrorInvalidValue;  // begins or ends outside of an allocation
  }
  if (kind == cudaMemcpyDefault) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool right = to_device == (transfer.to_place == Place::device) &&
                     from_device == (transfer.from_place == Place::device);
  return right ? cudaSuccess : cudaErrorInvalidValue;
}

std::function<void()> work_of(const Transfer& transfer) {
  std::vector<std::byte> staged;
  if (transfer.from_place == Place::pageable) {
    const auto* first = static_cast<const std::byte*>(transfer.from);
    staged.assign(first, first + transfer.bytes);
  }
  return [transfer, staged = std::move(staged)] {
    if (!is_still(transfer.to_place, transfer.to, transfer.bytes) ||
        !is_still(transfer.from_place, transfer.from, transfer.bytes)) {
      machine().sticky = cudaErrorIllegalAddress;
      throw std::runtime_error("a copy ran after its memory was freed");
    }
    std::memmove(transfer.to, staged.empty() ? transfer.from : staged.data(), transfer.bytes);
    ++machine().counters.copies;
    machine().counters.copied_bytes += static_cast<std::int64_t>(transfer.bytes);
  };
}

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  cudaMemcpyKind kind;
};

cudaError_t enqueue_copy(const Copy& copy, cudaStream_t handle, bool host_waits) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (copy.bytes == 0) return cudaSuccess;
  const Transfer transfer{.to = copy.to,
                          .from = copy.from,
                          .bytes = copy.bytes,
                          .to_place = place_of(copy.to, copy.bytes),
                          .from_place = place_of(copy.from, copy.bytes)};
  if (const cudaError_t error = check(transfer, copy.kind); error != cudaSuccess) return error;
  const bool pageable =
      transfer.to_place == Place::pageable || transfer.from_place == Place::pageable;
  if (stream->capture && pageable) {  // stricter than CUDA, which would keep the address
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = submit(handle, work_of(transfer)); error != cudaSuccess)
    return error;
  const bool on_device = transfer.to_place == Place::device && transfer.from_place == Place::device;
  const bool returns_done = transfer.to_place == Place::pageable || (host_waits && !on_device);
  return returns_done && !stream->capture ? wait_for(*stream) : cudaSuccess;
}

cudaError_t enqueue_fill(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  if (find_stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (bytes == 0) return cudaSuccess;
  const Place place = place_of(address, bytes);
  if (place == Place::mixed || place == Place::pageable) return cudaErrorInvalidValue;
  return submit(stream, [=] {
    if (!is_still(place, address, bytes)) {
      machine().sticky = cudaErrorIllegalAddress;
      throw std::runtime_error("a fill ran after its memory was freed");
    }
    std::memset(address, value, bytes);
    ++machine().counters.memsets;
  });
}

}  // namespace

// Blocks, except for copies from device to device, for which CUDA does not wait.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return call_outside_capture(__func__, [&] {
    return enqueue_copy({.to = to, .from = from, .bytes = bytes, .kind = kind}, nullptr, true);
  });
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return call(__func__, [&] {
    return enqueue_copy({.to = to, .from = from, .bytes = bytes, .kind = kind}, stream, false);
  });
}

// Does not block, as in CUDA.
cudaError_t cudaMemset(void* address, int value, std::size_t bytes) {
  return call_outside_capture(__func__,
                              [&] { return enqueue_fill(address, value, bytes, nullptr); });
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t bytes, cudaStream_t stream) {
  return call(__func__, [&] { return enqueue_fill(address, value, bytes, stream); });
}
