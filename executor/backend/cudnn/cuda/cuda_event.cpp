// An event that is recorded during a capture is recorded again whenever the graph runs.
#include "executor/backend/cudnn/cuda/cuda_event.hpp"

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {
namespace {

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(const CudaStreams& streams) : streams_(streams), event_(make_event()) {}
  void record() override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check_cuda(cudaStreamIsCapturing(streams_.selected(), &status), "cudaStreamIsCapturing");
    const unsigned int flags =
        status == cudaStreamCaptureStatusActive ? cudaEventRecordExternal : cudaEventRecordDefault;
    check_cuda(cudaEventRecordWithFlags(event_.get(), streams_.selected(), flags),
               "cudaEventRecordWithFlags");
  }
  void wait() const override {
    check_cuda(cudaStreamWaitEvent(streams_.selected(), event_.get(), 0), "cudaStreamWaitEvent");
  }
  void synchronize() const override {
    check_cuda(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
  }
  double seconds_since(const Event& earlier) const override {
    constexpr double seconds_per_ms = 1e-3;
    float ms = 0.0F;
    check_cuda(cudaEventElapsedTime(
                   &ms, dynamic_cast<const CudaEvent&>(earlier).event_.get(), event_.get()),
               "cudaEventElapsedTime");
    return seconds_per_ms * ms;
  }

 private:
  const CudaStreams& streams_;
  EventOwner event_;
};

}  // namespace

std::unique_ptr<Event> make_cuda_event(const CudaStreams& streams) {
  return std::make_unique<CudaEvent>(streams);
}

}  // namespace cnnplan::cudnn
