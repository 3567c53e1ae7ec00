// Records an event of a captured stream whenever the graph runs. Ends a capture that fails, so that
// its stream can be used again.
#include "executor/backend/cudnn/cuda/stream_work.hpp"

#include "executor/backend/cudnn/cuda/cuda_owner.hpp"
#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {
namespace {

using EventOwner = CudaOwner<cudaEvent_t, cudaEventDestroy>;
using GraphOwner = CudaOwner<cudaGraph_t, cudaGraphDestroy>;
using GraphExecOwner = CudaOwner<cudaGraphExec_t, cudaGraphExecDestroy>;

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(const CudaStreams& streams) : streams_(streams) {
    cudaEvent_t event = nullptr;
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDefault), "cudaEventCreateWithFlags");
    event_.reset(event);
  }
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

class CudaGraph final : public WorkGraph {
 public:
  CudaGraph(const CudaStreams& streams, cudaGraph_t graph) : streams_(streams) {
    const GraphOwner owner(graph);
    cudaGraphExec_t exec = nullptr;
    check_cuda(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
    exec_.reset(exec);
  }
  void launch() override {
    check_cuda(cudaGraphLaunch(exec_.get(), streams_.selected()), "cudaGraphLaunch");
  }

 private:
  const CudaStreams& streams_;
  GraphExecOwner exec_;
};

}  // namespace

std::unique_ptr<Event> make_cuda_event(const CudaStreams& streams) {
  return std::make_unique<CudaEvent>(streams);
}

std::unique_ptr<WorkGraph> capture_graph(const CudaStreams& streams,
                                         const std::function<void()>& enqueue) {
  check_cuda(cudaStreamBeginCapture(streams.selected(), cudaStreamCaptureModeThreadLocal),
             "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    enqueue();
    check_cuda(cudaStreamEndCapture(streams.selected(), &graph), "cudaStreamEndCapture");
  } catch (...) {
    cudaStreamEndCapture(streams.selected(), &graph);
    cudaGetLastError();  // The capture is invalid because of the exception, which is thrown.
    const GraphOwner dropped(graph);
    throw;
  }
  return std::make_unique<CudaGraph>(streams, graph);
}

}  // namespace cnnplan::cudnn
