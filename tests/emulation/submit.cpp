// Enqueues work, with the rule of the default stream: it waits for all blocking streams of its
// device, and they wait for it.
#include "tests/emulation/submit.hpp"

#include <memory>
#include <utility>

namespace cnnplan::emulation {
namespace {

bool is_default(const CUstream_st& stream) {
  for (const auto& other : machine().default_streams) {
    if (other.get() == &stream) return true;
  }
  return false;
}

void order_after(Item& item, const CUstream_st& stream) {
  if (stream.queue->last && !stream.queue->last->done) item.after.push_back(stream.queue->last);
}

void obey_default_stream(Item& item, const CUstream_st& stream) {
  if (!is_default(stream)) {
    const auto device = static_cast<std::size_t>(stream.device);
    if (stream.blocking) order_after(item, *machine().default_streams[device]);
    return;
  }
  for (const auto& [handle, other] : machine().streams) {
    if (other->blocking && other->device == stream.device) order_after(item, *other);
  }
}

cudaError_t add_node(CUstream_st& stream, std::function<void()> work, bool waits) {
  Capture& capture = *stream.capture;
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  capture.nodes.push_back({.work = std::move(work), .after = stream.frontier, .waits = waits});
  stream.frontier = {capture.nodes.size() - 1};
  return cudaSuccess;
}

}  // namespace

CUstream_st* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) {
    return machine().default_streams[static_cast<std::size_t>(thread_state().device)].get();
  }
  return find_handle(machine().streams, handle);
}

ItemPtr push_item(CUstream_st& stream, std::function<void()> work, std::function<bool()> ready) {
  auto item = std::make_shared<Item>();
  item->work = std::move(work);
  item->ready = std::move(ready);
  obey_default_stream(*item, stream);
  stream.polls = 0;
  machine().scheduler.push(stream.queue, item);
  return item;
}

cudaError_t check_default_stream(const CUstream_st& stream) {
  if (!is_default(stream)) return cudaSuccess;
  for (const auto& [handle, other] : machine().streams) {
    if (other->capture && other->blocking && other->device == stream.device) {
      other->capture->invalid = true;
      return cudaErrorStreamCaptureImplicit;
    }
  }
  return cudaSuccess;
}

cudaError_t submit(cudaStream_t handle, std::function<void()> work) {
  return submit_waiting(handle, std::move(work), nullptr);
}

cudaError_t submit_waiting(cudaStream_t handle,
                           std::function<void()> work,
                           std::function<bool()> ready) {
  CUstream_st* stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t error = check_default_stream(*stream); error != cudaSuccess) return error;
  if (stream->capture) return add_node(*stream, std::move(work), ready != nullptr);
  push_item(*stream, std::move(work), std::move(ready));
  return cudaSuccess;
}

cudaError_t wait_for(CUstream_st& stream) {
  if (stream.capture) {
    stream.capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = check_default_stream(stream); error != cudaSuccess) return error;
  if (is_default(stream)) return wait_for(push_item(stream, nullptr));
  ++machine().counters.synchronisations;
  machine().scheduler.complete(stream.queue);
  return machine().sticky;
}

cudaError_t wait_for(const ItemPtr& item) {
  ++machine().counters.synchronisations;
  machine().scheduler.complete(item);
  return machine().sticky;
}

cudaError_t wait_for_device() {
  ++machine().counters.synchronisations;
  machine().scheduler.complete_all();
  return machine().sticky;
}

}  // namespace cnnplan::emulation
