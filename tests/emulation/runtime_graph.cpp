// Implements the capture of streams, and launches of the graphs that it makes.
#include <chrono>
#include <thread>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

// Streams and events forget a capture that has ended.
void release(const std::shared_ptr<Capture>& capture) {
  for (const auto& [handle, stream] : machine().streams) {
    if (stream->capture == capture) stream->capture = nullptr;
  }
  for (const auto& [handle, event] : machine().events) {
    if (event->capture == capture) event->capture = nullptr;
  }
}

bool all_joined(const Capture& capture, const Frontier& end) {
  for (const auto& [handle, stream] : machine().streams) {
    if (stream->capture.get() != &capture) continue;
    if (!is_joined(capture.nodes, stream->frontier, end)) return false;
  }
  return true;
}

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  CUstream_st* stream = find_handle(machine().streams, handle);
  if (stream == nullptr) {
    return find_stream(handle) ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidResourceHandle;
  }
  if (stream->capture) return cudaErrorIllegalState;
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = handle;
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->frontier.clear();
  return cudaSuccess;
}

cudaError_t end_capture(cudaStream_t handle, cudaGraph_t* graph) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  *graph = nullptr;
  const CUstream_st* stream = find_handle(machine().streams, handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (!stream->capture) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  const bool joined = all_joined(*capture, stream->frontier);
  release(capture);
  if (capture->origin != handle) return cudaErrorStreamCaptureUnmatched;
  if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!joined) return cudaErrorStreamCaptureUnjoined;
  auto made = std::make_unique<CUgraph_st>();
  made->nodes = std::move(capture->nodes);
  *graph = add_handle(machine().graphs, std::move(made));
  return cudaSuccess;
}

// Returns the nodes in a random order that their dependencies allow.
void run_nodes(const Nodes& nodes, const std::vector<ItemPtr>& records) {
  std::vector<std::vector<std::size_t>> before;
  before.reserve(nodes.size());
  for (const Node& node : nodes) before.push_back(node.after);
  for (const std::size_t step : machine().scheduler.random_order(before)) {
    if (nodes[step].work) nodes[step].work();
    if (!records[step]) continue;
    std::this_thread::sleep_for(std::chrono::duration<double>(machine().options.event_s));
    Scheduler::mark_done(*records[step]);
  }
}

cudaError_t launch(CUgraphExec_st& exec, CUstream_st& stream) {
  if (stream.capture) return cudaErrorNotSupported;  // child graphs are not emulated
  if (const cudaError_t error = check_default_stream(stream); error != cudaSuccess) return error;
  ++machine().counters.graph_launches;
  std::vector<ItemPtr> records(exec.nodes->size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    if ((*exec.nodes)[i].event != nullptr) records[i] = std::make_shared<Item>();
  }
  const ItemPtr gate = push_item(stream, nullptr);
  if (exec.last_launch && !exec.last_launch->done) gate->after.push_back(exec.last_launch);
  // A graph that waits for another process runs only when it has to, because it cannot tell when it
  // would not wait.
  std::function<bool()> ready;
  for (const Node& node : *exec.nodes) {
    if (node.waits) ready = [] { return false; };
  }
  const ItemPtr item = push_item(
      stream, [nodes = exec.nodes, records] { run_nodes(*nodes, records); }, ready);
  exec.last_launch = item;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CUevent_st* event = find_handle(machine().events, (*exec.nodes)[i].event);
    if (event == nullptr) continue;
    if (!records[i]->done) records[i]->carrier = item;
    event->recorded = records[i];
    event->polls = 0;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(__func__, [&] { return begin_capture(stream, mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call(__func__, [&] { return end_capture(stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call(__func__, [&] {
    const CUstream_st* stream = find_stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    if (stream->capture) {
      *status = stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long) {
  return call(__func__, [&] {
    if (exec == nullptr) return cudaErrorInvalidValue;
    const CUgraph_st* graph = find_handle(machine().graphs, handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = std::make_shared<const Nodes>(graph->nodes);
    *exec = add_handle(machine().graph_execs, std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(__func__, [&] {
    const bool valid = find_handle(machine().graph_execs, exec) && find_stream(stream);
    return valid ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return call(__func__, [&] {
    CUgraphExec_st* exec = find_handle(machine().graph_execs, handle);
    CUstream_st* stream = find_stream(stream_handle);
    if (exec == nullptr) return cudaErrorInvalidValue;
    return stream == nullptr ? cudaErrorInvalidResourceHandle : launch(*exec, *stream);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(__func__, [&] {
    return machine().graphs.erase(graph) == 1 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(__func__, [&] {
    return machine().graph_execs.erase(exec) == 1 ? cudaSuccess : cudaErrorInvalidValue;
  });
}
