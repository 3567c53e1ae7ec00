// Marks a point in the selected stream, and times the work between two marks.
#pragma once

#include "executor/backend/cudnn/cuda/cuda_streams.hpp"

namespace cnnplan::cudnn {

// @pre `streams` outlives the event
std::unique_ptr<Event> make_cuda_event(const CudaStreams& streams);

}  // namespace cnnplan::cudnn
