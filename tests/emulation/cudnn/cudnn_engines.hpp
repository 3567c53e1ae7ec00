// Describes the engines that run a graph: what they need and promise, and which of them the
// heuristics name.
#pragma once

#include <vector>

#include "tests/emulation/cudnn/cudnn_values.hpp"

namespace cnnplan::emulation {

// Engine 0 is exact and needs no workspace. Engine 1 rounds floats to TF32, needs tensors at
// multiples of 16 bytes, and has knobs and a workspace. The results of engine 2 differ from run to
// run. Engine 3 is named by the heuristics, but no plan can be made of it.
enum EngineIndex : std::int64_t { exact = 0, tensor_core = 1, nondeterministic = 2, broken = 3 };
inline constexpr std::int64_t engine_count = 4;

std::vector<cudnnBackendNumericalNote_t> numerical_notes(const Engine& engine);
std::vector<cudnnBackendBehaviorNote_t> behavior_notes(const Engine& engine);
std::vector<KnobInfo> knobs_of(const Engine& engine);
// Returns the engines, the best first, by the shapes and the seed.
// @throws CudnnError for a graph that no engine knows
std::vector<EngineConfig> heuristic_results(const std::shared_ptr<const Graph>& graph,
                                            cudnnBackendHeurMode_t mode);
// Returns what the engine needs, with its workspace.
// @throws CudnnError when the engine cannot run its graph
Plan make_plan(const EngineConfig& config);

}  // namespace cnnplan::emulation
