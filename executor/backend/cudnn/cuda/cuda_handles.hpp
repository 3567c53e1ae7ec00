// Owns handles of the CUDA runtime: streams, events and graphs.
#pragma once

#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace cnnplan::cudnn {

struct StreamDeleter {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct EventDeleter {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
struct GraphDeleter {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct GraphExecDeleter {
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};

template <typename Handle, typename Deleter>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Deleter>;
using StreamOwner = Owner<cudaStream_t, StreamDeleter>;
using EventOwner = Owner<cudaEvent_t, EventDeleter>;
using GraphOwner = Owner<cudaGraph_t, GraphDeleter>;
using GraphExecOwner = Owner<cudaGraphExec_t, GraphExecDeleter>;

// Makes a stream of the current device, which does not wait for the legacy default stream.
// @throws BackendError
StreamOwner make_stream(int priority);
// Makes an event of the current device, which can time. @throws BackendError
EventOwner make_event();

}  // namespace cnnplan::cudnn
