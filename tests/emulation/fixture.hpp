// Holds what the tests of the emulation share: checked arrays of floats on the device, and streams.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include "tests/emulation/device.hpp"
#include "tests/emulation/enqueue.hpp"

namespace cnnplan::test {

inline cudaStream_t new_stream(unsigned int flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess);
  return stream;
}

inline cudaEvent_t new_event(unsigned int flags = cudaEventDisableTiming) {
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreateWithFlags(&event, flags) == cudaSuccess);
  return event;
}

template <typename T = float>
T* device_array(std::size_t elements) {
  void* data = nullptr;
  REQUIRE(cudaMalloc(&data, elements * sizeof(T)) == cudaSuccess);
  return static_cast<T*>(data);
}

template <typename T = float>
T* device_copy(const std::vector<T>& values) {
  T* data = device_array<T>(values.size());
  REQUIRE(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) ==
          cudaSuccess);
  return data;
}

template <typename T = float>
T* pinned_array(const std::vector<T>& values) {
  void* data = nullptr;
  REQUIRE(cudaMallocHost(&data, values.size() * sizeof(T)) == cudaSuccess);
  std::copy(values.begin(), values.end(), static_cast<T*>(data));
  return static_cast<T*>(data);
}

template <typename T>
std::vector<T> host_copy(const T* data, std::size_t elements) {
  std::vector<T> values(elements);
  REQUIRE(cudaMemcpy(values.data(), data, elements * sizeof(T), cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  return values;
}

// Launches a kernel that computes data[i] = data[i] * factor + summand.
inline void scale_and_add(
    cudaStream_t stream, float* data, std::size_t elements, float factor, float summand) {
  emulation::enqueue(stream, [=] {
    for (std::size_t i = 0; i < elements; ++i) data[i] = data[i] * factor + summand;
  });
}

}  // namespace cnnplan::test
