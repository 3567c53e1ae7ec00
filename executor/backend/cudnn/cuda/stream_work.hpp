// Makes events, which mark a point in the selected stream, and graphs, which it runs as a whole.
#pragma once

#include "executor/backend/cudnn/cuda/cuda_streams.hpp"

namespace cnnplan::cudnn {

// Returns an event without a mark. @pre `streams` outlives the event
std::unique_ptr<Event> make_cuda_event(const CudaStreams& streams);
// Returns the work that `enqueue` puts in the selected stream, which does not run.
// @pre `streams` outlives the graph
// @throws BackendError, and whatever `enqueue` throws
std::unique_ptr<WorkGraph> capture_graph(const CudaStreams& streams,
                                         const std::function<void()>& enqueue);

}  // namespace cnnplan::cudnn
