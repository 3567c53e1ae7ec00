// Captures work as a graph, which the selected stream then runs as a whole.
#pragma once

#include "executor/backend/cudnn/cuda/cuda_streams.hpp"

namespace cnnplan::cudnn {

// Returns the work that `enqueue` puts in the selected stream, which does not run.
// @pre `streams` outlives the graph
// @throws BackendError, and whatever `enqueue` throws
std::unique_ptr<WorkGraph> capture_cuda_graph(const CudaStreams& streams,
                                              const std::function<void()>& enqueue);

}  // namespace cnnplan::cudnn
