// Gives the calls of the CUDA runtime for events.
#include <algorithm>
#include <chrono>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

cudaError_t create(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned int known = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr || (flags & ~known) != 0) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUevent_st>();
  made->device = thread_state().device;
  made->timing = (flags & cudaEventDisableTiming) == 0;
  *event = add_handle(machine().events, std::move(made));
  return cudaSuccess;
}

cudaError_t record_in_capture(CUevent_st& event, CUstream_st& stream, bool external) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  if (external) {
    capture.nodes.push_back({.work = nullptr, .after = stream.frontier, .event = &event});
    stream.frontier = {capture.nodes.size() - 1};
    return cudaSuccess;
  }
  event.capture = stream.capture;
  event.frontier = stream.frontier;
  return cudaSuccess;
}

cudaError_t record(cudaEvent_t event_handle, cudaStream_t handle, unsigned int flags) {
  CUevent_st* event = find_handle(machine().events, event_handle);
  CUstream_st* stream = find_stream(handle);
  if (event == nullptr || stream == nullptr || event->device != stream->device) {
    return cudaErrorInvalidResourceHandle;
  }
  if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal) {
    return cudaErrorInvalidValue;
  }
  const bool external = flags == cudaEventRecordExternal;
  if (stream->capture) return record_in_capture(*event, *stream, external);
  if (external) return cudaErrorIllegalState;  // only within a capture
  if (const cudaError_t error = check_default_stream(*stream); error != cudaSuccess) return error;
  event->recorded = push_item(*stream, nullptr);
  event->capture = nullptr;
  event->polls = 0;
  return cudaSuccess;
}

cudaError_t query(CUevent_st& event) {
  if (event.capture) return cudaErrorCapturedEvent;
  if (const cudaError_t error = check_no_capture(); error != cudaSuccess) return error;
  if (!event.recorded || event.recorded->done) return cudaSuccess;
  if (++event.polls < machine().options.polls_until_ready) return cudaErrorNotReady;
  machine().scheduler.complete(event.recorded);
  return machine().sticky;
}

cudaError_t elapsed(float* milliseconds, const CUevent_st& start, const CUevent_st& end) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  if (!start.timing || !end.timing || !start.recorded || !end.recorded) {
    return cudaErrorInvalidResourceHandle;
  }
  if (start.capture || end.capture) return cudaErrorCapturedEvent;
  if (!start.recorded->done || !end.recorded->done) return cudaErrorNotReady;
  const std::chrono::duration<float, std::milli> difference =
      end.recorded->finished - start.recorded->finished;
  *milliseconds = difference.count();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call(__func__, [&] { return create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call(__func__, [&] { return create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(__func__, [&] {
    return machine().events.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(__func__, [&] { return record(event, stream, cudaEventRecordDefault); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return call(__func__, [&] { return record(event, stream, flags); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call(__func__, [&] {
    CUevent_st* event = find_handle(machine().events, handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->capture) return cudaErrorCapturedEvent;
    if (const cudaError_t error = check_no_capture(); error != cudaSuccess) return error;
    return event->recorded ? wait_for(event->recorded) : cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call(__func__, [&] {
    CUevent_st* event = find_handle(machine().events, handle);
    return event == nullptr ? cudaErrorInvalidResourceHandle : query(*event);
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(__func__, [&] {
    const CUevent_st* first = find_handle(machine().events, start);
    const CUevent_st* second = find_handle(machine().events, end);
    if (first == nullptr || second == nullptr) return cudaErrorInvalidResourceHandle;
    return elapsed(milliseconds, *first, *second);
  });
}
