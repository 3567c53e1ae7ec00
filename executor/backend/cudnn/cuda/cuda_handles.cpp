// Creates streams and events by the runtime.
#include "executor/backend/cudnn/cuda/cuda_handles.hpp"

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {

StreamOwner make_stream(int priority) {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
             "cudaStreamCreateWithPriority");
  return StreamOwner(stream);
}

EventOwner make_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
  return EventOwner(event);
}

}  // namespace cnnplan::cudnn
