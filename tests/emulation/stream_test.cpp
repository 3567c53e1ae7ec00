// Tests streams and events: work runs when something waits for it, in the order that the test asks
// for.
#include "tests/emulation/fixture.hpp"

namespace cnnplan::test {
namespace {

using emulation::Schedule;

// Lets a producer write 1 on one stream and a consumer add it up on another. Returns the sum on the
// host.
float consume(bool wait_for_event, const emulation::Options& options) {
  emulation::reset(options);
  cudaStream_t first = new_stream();
  cudaStream_t second = new_stream();
  cudaEvent_t event = new_event();
  float* value = device_copy<float>({0.0F});
  float* sum = device_copy<float>({0.0F});
  emulation::enqueue(first, [=] { *value = 1.0F; });
  CHECK(cudaEventRecord(event, first) == cudaSuccess);
  if (wait_for_event) CHECK(cudaStreamWaitEvent(second, event, 0) == cudaSuccess);
  emulation::enqueue(second, [=] { *sum += *value; });
  CHECK(cudaStreamSynchronize(second) == cudaSuccess);
  return host_copy(sum, 1)[0];
}

}  // namespace

TEST_CASE("emulated streams: a forgotten event wait gives stale values") {
  CHECK(consume(false, {}) == 0.0F);
  CHECK(consume(true, {}) == 1.0F);
  CHECK(consume(false, {.schedule = Schedule::eager}) == 1.0F);
  int stale = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    if (consume(false, {.schedule = Schedule::random, .seed = seed}) == 0.0F) ++stale;
    CHECK(consume(true, {.schedule = Schedule::random, .seed = seed}) == 1.0F);
  }
  CHECK(stale > 0);
  CHECK(stale < 50);
}

TEST_CASE("emulated streams: an event waits for what was recorded, not for what came later") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  cudaEvent_t event = new_event();
  int runs = 0;
  emulation::enqueue(stream, [&] { ++runs; });
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  emulation::enqueue(stream, [&] { ++runs; });
  CHECK(runs == 0);
  CHECK(cudaEventSynchronize(event) == cudaSuccess);
  CHECK(runs == 1);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(runs == 2);
  CHECK(emulation::counters().kernels == 2);
}

TEST_CASE("emulated streams: queries become ready after some calls") {
  emulation::reset({.polls_until_ready = 3});
  cudaStream_t stream = new_stream();
  cudaEvent_t event = new_event();
  CHECK(cudaEventQuery(event) == cudaSuccess);  // never recorded
  emulation::enqueue(stream, [] {});
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaErrorNotReady);
  CHECK(cudaEventQuery(event) == cudaSuccess);
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("emulated streams: the default stream waits for blocking streams only") {
  for (const bool blocking : {false, true}) {
    emulation::reset();
    cudaStream_t stream = new_stream(blocking ? cudaStreamDefault : cudaStreamNonBlocking);
    float* value = device_copy<float>({0.0F});
    scale_and_add(stream, value, 1, 1.0F, 1.0F);
    CHECK(host_copy(value, 1)[0] == (blocking ? 1.0F : 0.0F));
    CHECK(cudaMemset(value, 0, sizeof(float)) == cudaSuccess);
    scale_and_add(stream, value, 1, 0.0F, 5.0F);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);  // with the fill only when blocking
    CHECK(emulation::counters().memsets == (blocking ? 1 : 0));
  }
}

TEST_CASE("emulated streams: elapsed time is that of the events when they were reached") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  cudaEvent_t start = new_event(cudaEventDefault);
  cudaEvent_t end = new_event(cudaEventDefault);
  float milliseconds = -1.0F;
  CHECK(cudaEventRecord(start, stream) == cudaSuccess);
  emulation::enqueue(stream, [] {});
  CHECK(cudaEventRecord(end, stream) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady);
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0.0F);
  cudaEvent_t untimed = new_event();
  CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("emulated streams: work of a destroyed stream still runs") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  int runs = 0;
  emulation::enqueue(stream, [&] { ++runs; });
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(runs == 1);
}

TEST_CASE("emulated errors: injected into calls, launches and work") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  void* data = nullptr;
  emulation::fail("cudaMalloc", 2, cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&data, 4) == cudaSuccess);
  CHECK(cudaMalloc(&data, 4) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&data, 4) == cudaSuccess);
  CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  emulation::fail("kernel", 1, cudaErrorInvalidConfiguration);
  emulation::enqueue(stream, [] {});
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  emulation::fail("work", 1, cudaErrorIllegalAddress);
  emulation::enqueue(stream, [] {});
  CHECK(cudaGetLastError() == cudaSuccess);  // not before the work runs
  CHECK(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
  CHECK(cudaMalloc(&data, 4) == cudaErrorIllegalAddress);
}

TEST_CASE("emulated devices: none, several") {
  int count = -1;
  emulation::reset({.device_count = 0});
  CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
  CHECK(count == 0);
  emulation::reset({.device_count = 0, .no_device_error = cudaErrorInsufficientDriver});
  CHECK(cudaGetDeviceCount(&count) == cudaErrorInsufficientDriver);
  emulation::reset({.device_count = 2, .compute_major = 8, .device_name = "Other"});
  CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count == 2);
  cudaStream_t of_first = new_stream();
  CHECK(cudaSetDevice(1) == cudaSuccess);
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 1) == cudaSuccess);
  CHECK(std::string(properties.name) == "Other");
  CHECK(properties.major == 8);
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  emulation::enqueue(of_first, [] {});
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

}  // namespace cnnplan::test
