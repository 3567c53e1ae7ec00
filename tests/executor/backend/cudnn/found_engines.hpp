// All engines of all variants that can compute a convolution on some GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/backend/cudnn/convolution_graph.hpp"
#include "executor/backend/cudnn/engine.hpp"

namespace cnnplan::test {

struct FoundEngine {
  cudnn::ConvolutionVariant variant;
  cudnn::Engine engine;
  std::int64_t workspace_bytes = 0;  // of the engine alone
};

// Those that follow the rules and whose plan was finalized within the workspace limit of
// cudnn::Options.
std::vector<FoundEngine> find_engines(const cudnn::EngineTarget& target,
                                      const KernelSpec& spec,
                                      bool deterministic);
// -1 where the engine refuses.
std::int64_t planned_workspace_bytes(const cudnn::EngineTarget& target,
                                     const KernelSpec& spec,
                                     const cudnn::ConvolutionVariant& variant,
                                     const cudnn::Engine& engine);

}  // namespace cnnplan::test
