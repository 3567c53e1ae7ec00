// Tests stream capture: which work becomes a graph, which calls break a capture, and how graphs
// run.
#include "tests/emulation/fixture.hpp"

namespace cnnplan::test {
namespace {

cudaGraphExec_t end_and_instantiate(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  return exec;
}

void begin(cudaStream_t stream, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  REQUIRE(cudaStreamBeginCapture(stream, mode) == cudaSuccess);
}

}  // namespace

TEST_CASE("emulated graphs: captured work runs at each launch and not before") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  float* data = device_copy<float>({1.0F});
  float* pinned = pinned_array<float>({0.0F});
  begin(stream);
  scale_and_add(stream, data, 1, 2.0F, 1.0F);
  CHECK(cudaMemcpyAsync(pinned, data, 4, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  cudaGraphExec_t exec = end_and_instantiate(stream);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(pinned[0] == 0.0F);
  CHECK(cudaGraphUpload(exec, stream) == cudaSuccess);
  for (const float expected : {3.0F, 7.0F, 15.0F}) {
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(pinned[0] == expected);
  }
  CHECK(emulation::counters().graph_launches == 3);
  CHECK(emulation::counters().kernels == 3);
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
}

TEST_CASE("emulated graphs: branches run in any order, joined ones in theirs") {
  int other_first = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    emulation::reset({.seed = seed});
    cudaStream_t stream = new_stream();
    cudaStream_t branch = new_stream();
    cudaEvent_t fork = new_event();
    cudaEvent_t join = new_event();
    std::string order;
    begin(stream);
    emulation::enqueue(stream, [&] { order += 'a'; });
    CHECK(cudaEventRecord(fork, stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(branch, fork, 0) == cudaSuccess);
    emulation::enqueue(branch, [&] { order += 'b'; });
    emulation::enqueue(stream, [&] { order += 'c'; });
    CHECK(cudaEventRecord(join, branch) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(stream, join, 0) == cudaSuccess);
    emulation::enqueue(stream, [&] { order += 'd'; });
    cudaGraphExec_t exec = end_and_instantiate(stream);
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK((order == "abcd" || order == "acbd"));
    if (order == "acbd") ++other_first;
  }
  CHECK(other_first > 0);
  CHECK(other_first < 40);
}

TEST_CASE("emulated graphs: an external record is reached at each launch") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  cudaEvent_t start = new_event(cudaEventDefault);
  cudaEvent_t end = new_event(cudaEventDefault);
  begin(stream);
  CHECK(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal) == cudaSuccess);
  emulation::enqueue(stream, [] {});
  CHECK(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal) == cudaSuccess);
  cudaGraphExec_t exec = end_and_instantiate(stream);
  float milliseconds = -1.0F;
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorNotReady);
  CHECK(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess);
  CHECK(milliseconds >= 0.0F);
}

TEST_CASE("emulated graphs: waiting and allocating break a capture") {
  const std::vector<cudaError_t (*)(cudaStream_t)> forbidden{
      [](cudaStream_t stream) { return cudaStreamSynchronize(stream); },
      [](cudaStream_t stream) { return cudaStreamQuery(stream); },
      [](cudaStream_t) { return cudaDeviceSynchronize(); },
      [](cudaStream_t) {
        void* data = nullptr;
        return cudaMalloc(&data, 4);
      },
  };
  for (const auto& call : forbidden) {
    emulation::reset();
    cudaStream_t stream = new_stream();
    begin(stream);
    CHECK(call(stream) == cudaErrorStreamCaptureUnsupported);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
    CHECK(status == cudaStreamCaptureStatusInvalidated);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(graph == nullptr);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  }
}

TEST_CASE("emulated graphs: a relaxed capture allows to allocate") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  begin(stream, cudaStreamCaptureModeRelaxed);
  device_array(1);
  end_and_instantiate(stream);
}

TEST_CASE("emulated graphs: branches have to be joined, and kept apart from other work") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  cudaStream_t branch = new_stream();
  cudaEvent_t event = new_event();
  cudaGraph_t graph = nullptr;
  begin(stream);
  CHECK(cudaEventRecord(event, stream) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaErrorCapturedEvent);
  CHECK(cudaStreamWaitEvent(branch, event, 0) == cudaSuccess);
  emulation::enqueue(branch, [] {});
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(cudaEventRecord(event, branch) == cudaSuccess);  // no longer captured
  begin(stream);
  CHECK(cudaStreamWaitEvent(stream, event, 0) == cudaErrorStreamCaptureIsolation);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
        cudaErrorStreamCaptureUnsupported);
}

TEST_CASE("emulated graphs: the default stream is forbidden while blocking streams are captured") {
  for (const bool blocking : {false, true}) {
    emulation::reset();
    cudaStream_t stream = new_stream(blocking ? cudaStreamDefault : cudaStreamNonBlocking);
    begin(stream);
    emulation::enqueue(nullptr, [] {});
    CHECK(cudaGetLastError() == (blocking ? cudaErrorStreamCaptureImplicit : cudaSuccess));
  }
}

}  // namespace cnnplan::test
