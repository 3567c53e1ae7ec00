// Gives the calls of the CUDA runtime for streams.
#include <chrono>
#include <thread>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

cudaError_t create(cudaStream_t* stream, unsigned int flags) {
  if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
    return cudaErrorInvalidValue;
  }
  auto made = std::make_unique<CUstream_st>();
  made->device = thread_state().device;
  made->blocking = flags == cudaStreamDefault;
  made->queue = machine().scheduler.new_queue();
  *stream = add_handle(machine().streams, std::move(made));
  return cudaSuccess;
}

cudaError_t wait_for_event(CUstream_st& stream, const CUevent_st& event) {
  if (event.capture) {
    if (find_handle(machine().streams, &stream) == nullptr) {
      event.capture->invalid = true;  // the default stream cannot be captured
      return cudaErrorStreamCaptureImplicit;
    }
    if (stream.capture && stream.capture != event.capture) {
      stream.capture->invalid = true;
      event.capture->invalid = true;
      return cudaErrorStreamCaptureMerge;
    }
    if (!stream.capture) stream.frontier.clear();
    stream.capture = event.capture;  // this is how a stream joins a capture
    merge(stream.frontier, event.frontier);
    return cudaSuccess;
  }
  if (stream.capture) {
    if (!event.recorded) return cudaSuccess;
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  if (!event.recorded || event.recorded->done) return cudaSuccess;
  push_item(stream, nullptr)->after.push_back(event.recorded);
  return cudaSuccess;
}

// A host learns of the end of work some time after it.
cudaError_t synchronise(CUstream_st& stream) {
  const bool has_work = !stream.queue->items.empty();
  const cudaError_t error = wait_for(stream);
  if (has_work) {
    std::this_thread::sleep_for(std::chrono::duration<double>(machine().options.synchronise_s));
  }
  return error;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call(__func__, [&] { return create(stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return call(__func__, [&] { return create(stream, flags); });
}

// Priorities have no effect.
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int) {
  return call(__func__, [&] { return create(stream, flags); });
}

// Work in the stream still runs when something waits for it.
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call(__func__, [&] {
    CUstream_st* stream = find_handle(machine().streams, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture) stream->capture->invalid = true;
    machine().scheduler.detach(stream->queue);
    machine().streams.erase(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return call(__func__, [&] {
    CUstream_st* stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = check_no_capture(); error != cudaSuccess) return error;
    return synchronise(*stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned int flags) {
  return call(__func__, [&] {
    CUstream_st* stream = find_stream(handle);
    const CUevent_st* event = find_handle(machine().events, event_handle);
    if (stream == nullptr || event == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventWaitExternal) return cudaErrorNotSupported;  // not emulated
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    return wait_for_event(*stream, *event);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call(__func__, [&] {
    CUstream_st* stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return wait_for(*stream);
    if (const cudaError_t error = check_no_capture(); error != cudaSuccess) return error;
    if (stream->queue->items.empty()) return cudaSuccess;
    if (++stream->polls < machine().options.polls_until_ready) return cudaErrorNotReady;
    machine().scheduler.complete(stream->queue);
    return machine().sticky;
  });
}
