// Tests that the host cannot touch device memory, and that work cannot touch memory beyond its own.
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/emulation/fixture.hpp"

namespace cnnplan::test {
namespace {

// Returns true when `body` ends its process in another way than by returning.
bool crashes(const std::function<void()>& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const int crash : {SIGSEGV, SIGBUS}) std::signal(crash, SIG_DFL);  // no report is printed
    body();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

}  // namespace

TEST_CASE("emulated memory: the host that reads or writes device memory crashes") {
  emulation::reset();
  float* data = device_copy<float>({1.0F, 2.0F});
  volatile float* address = data;
  CHECK(crashes([=] { std::exit(static_cast<int>(address[0]) * 0); }));
  CHECK(crashes([=] { address[1] = 0.0F; }));
  CHECK_FALSE(crashes([=] { host_copy(data, 2); }));
}

TEST_CASE("emulated memory: the host may touch it where that was asked for") {
  emulation::reset({.closed_memory = false});
  float* address = device_array(2);
  CHECK_FALSE(crashes([=] { address[1] = 0.0F; }));
  emulation::reset();
  float* closed = device_array(2);
  CHECK(crashes([=] { closed[1] = 0.0F; }));
}

TEST_CASE("emulated memory: work far outside of an allocation crashes, close by it fails") {
  emulation::reset();
  float* data = device_array(1000);
  CHECK(crashes([=] {
    emulation::enqueue(nullptr, [=] { data[1024] = 0.0F; });
    cudaDeviceSynchronize();
  }));
  for (const int offset : {-1, 900}) {
    emulation::reset();
    float* other = device_array(900);
    emulation::enqueue(nullptr, [=] { other[offset] = 0.0F; });
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  }
}

TEST_CASE("emulated memory: work between two allocations crashes, also where one was freed") {
  emulation::reset();
  constexpr std::int64_t page_floats = 1024;
  float* first = device_array(page_floats);
  float* freed = device_array(page_floats);
  float* last = device_array(page_floats);
  const auto write = [](float* address) {
    emulation::enqueue(nullptr, [=] { *address = 0.0F; });
    cudaDeviceSynchronize();
  };
  for (const std::int64_t offset : {std::int64_t{-1}, page_floats}) {
    CHECK(crashes([=] { write(freed + offset); }));
  }
  CHECK_FALSE(crashes([=] { write(freed); }));
  CHECK(cudaFree(freed) == cudaSuccess);
  CHECK(crashes([=] { write(freed); }));
  CHECK_FALSE(crashes([=] { write(first); }));
  CHECK_FALSE(crashes([=] { write(last); }));
}

TEST_CASE("emulated memory: fresh memory is not a number, freed memory is gone") {
  emulation::reset();
  float* data = device_array(3);
  CHECK(std::isnan(host_copy(data, 3)[2]));
  CHECK(cudaFree(data) == cudaSuccess);
  CHECK(cudaFree(data) == cudaErrorInvalidValue);
  CHECK(crashes([=] {
    emulation::enqueue(nullptr, [=] { *data = 0.0F; });
    cudaDeviceSynchronize();
  }));
}

TEST_CASE("emulated memory: it runs out, and what is left is known") {
  emulation::reset({.memory_bytes = 4096});
  void* first = nullptr;
  void* second = nullptr;
  CHECK(cudaMalloc(&first, 3000) == cudaSuccess);
  CHECK(cudaMalloc(&second, 3000) == cudaErrorMemoryAllocation);
  CHECK(second == nullptr);
  std::size_t free = 0;
  std::size_t total = 0;
  CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(free == 4096 - 3072);
  CHECK(total == 4096);
  CHECK(emulation::leaks() == std::vector<std::string>{"1 device allocations"});
  CHECK(cudaFree(first) == cudaSuccess);
  CHECK(emulation::leaks().empty());
  CHECK(emulation::counters().peak_bytes == 3072);
}

TEST_CASE("emulated memory: page-locked memory is read and written when the copy runs") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  float* data = device_copy<float>({0.0F});
  float* pinned = pinned_array<float>({1.0F});
  CHECK(cudaMemcpyAsync(data, pinned, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  pinned[0] = 2.0F;  // before the copy runs
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(host_copy(data, 1)[0] == 2.0F);
  pinned[0] = 3.0F;
  CHECK(cudaMemcpyAsync(pinned, data, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(pinned[0] == 3.0F);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(pinned[0] == 2.0F);
  CHECK(cudaMemcpyAsync(pinned, data, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
}

TEST_CASE("emulated memory: ordinary memory is staged by the call") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  float* data = device_array(1);
  float value = 1.0F;
  CHECK(cudaMemcpyAsync(data, &value, 4, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  value = 2.0F;
  CHECK(cudaMemcpyAsync(&value, data, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(value == 1.0F);
}

TEST_CASE("emulated memory: copies that do not fit their kind or their memory are refused") {
  emulation::reset();
  float* data = device_array(4);
  std::vector<float> host(8);
  CHECK(cudaMemcpy(host.data(), data, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), data, 16, cudaMemcpyDefault) == cudaSuccess);
  CHECK(cudaMemcpy(host.data(), data, 20, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(data + 1, host.data(), 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemset(data + 1, 0, 16) == cudaErrorInvalidValue);
  CHECK(cudaMemset(host.data(), 0, 16) == cudaErrorInvalidValue);
}

TEST_CASE("emulated memory: pointers know where they point") {
  emulation::reset();
  float* data = device_array(4);
  float* pinned = pinned_array<float>({1.0F});
  cudaPointerAttributes attributes{};
  CHECK(cudaPointerGetAttributes(&attributes, data + 3) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeDevice);
  CHECK(cudaPointerGetAttributes(&attributes, pinned) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, &attributes) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
}

}  // namespace cnnplan::test
