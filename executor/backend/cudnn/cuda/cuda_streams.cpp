// The streams of lanes have the priority of Queue::compute; halos and reductions go first.
#include "executor/backend/cudnn/cuda/cuda_streams.hpp"

#include <stdexcept>

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {
namespace {

// Makes a stream that does not wait for the legacy default stream.
StreamOwner make_stream(int priority) {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
             "cudaStreamCreateWithPriority");
  return StreamOwner(stream);
}

}  // namespace

CudaStreams::CudaStreams() {
  int greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least_priority_, &greatest),
             "cudaDeviceGetStreamPriorityRange");
  // Ranks wait for the work of halos and reductions, so it goes first.
  for (int priority : {least_priority_, greatest, greatest, least_priority_}) {
    streams_.push_back(make_stream(priority));
  }
}

void CudaStreams::select(Queue queue) {
  select_stream(static_cast<std::size_t>(queue));
}

void CudaStreams::reserve_lanes(int lanes) {
  const std::size_t wanted = queue_count + lanes - 1;
  while (streams_.size() < wanted) streams_.push_back(make_stream(least_priority_));
}

void CudaStreams::select_lane(int lane) {
  if (lane == 0) return select(Queue::compute);
  select_stream(queue_count + lane - 1);
}

void CudaStreams::select_stream(std::size_t wanted) {
  if (wanted >= streams_.size()) throw std::logic_error("a lane that was not reserved");
  selected_ = wanted;
}

void CudaStreams::synchronize() const {
  for (const StreamOwner& stream : streams_) {
    check_cuda(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  }
}

}  // namespace cnnplan::cudnn
