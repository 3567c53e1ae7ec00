// A capture that fails is ended, so that its stream can be used again.
#include "executor/backend/cudnn/cuda/cuda_graph.hpp"

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {
namespace {

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

std::unique_ptr<WorkGraph> capture_cuda_graph(const CudaStreams& streams,
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
