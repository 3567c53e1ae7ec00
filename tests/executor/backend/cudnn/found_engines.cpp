// Asked as a trial asks, but not run.
#include "tests/executor/backend/cudnn/found_engines.hpp"

#include <utility>

#include "executor/backend/cudnn/library.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::test {
namespace {

std::int64_t workspace_of(const cudnn::EngineTarget& target,
                          const cudnn::ConvolutionGraph& graph,
                          const cudnn::Engine& engine) {
  try {
    return cudnn::make_execution_plan(target, graph.graph, engine)
        .get_integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
  } catch (const BackendError&) {
    return -1;
  }
}

}  // namespace

std::vector<FoundEngine> find_engines(const cudnn::EngineTarget& target,
                                      const KernelSpec& spec,
                                      bool deterministic) {
  const std::int64_t most_bytes = cudnn::Options{}.most_workspace_bytes;
  const cudnn::EngineRules rules{.precision = spec.precision, .deterministic = deterministic};
  std::vector<FoundEngine> found;
  for (const cudnn::ConvolutionVariant& variant : cudnn::variants_of(spec)) {
    const cudnn::ConvolutionGraph graph =
        cudnn::make_convolution_graph(target, cudnn::engine_view(spec, variant), variant);
    for (cudnn::RecommendedEngine& one : cudnn::recommended_engines(target, graph.graph, rules)) {
      const std::int64_t bytes = workspace_of(target, graph, one.engine);
      if (bytes < 0 || bytes > most_bytes) continue;
      found.push_back({variant, std::move(one.engine), bytes});
    }
  }
  return found;
}

std::int64_t planned_workspace_bytes(const cudnn::EngineTarget& target,
                                     const KernelSpec& spec,
                                     const cudnn::ConvolutionVariant& variant,
                                     const cudnn::Engine& engine) {
  const cudnn::ConvolutionGraph graph =
      cudnn::make_convolution_graph(target, cudnn::engine_view(spec, variant), variant);
  return workspace_of(target, graph, engine);
}

}  // namespace cnnplan::test
