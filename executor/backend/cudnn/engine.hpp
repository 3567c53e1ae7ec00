// Finds, names and builds the engines of cuDNN that can compute a graph.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor/backend/cudnn/engine_target.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan::cudnn {

// Names an engine configuration of cuDNN: a way to compute a graph. It is valid for one graph and
// one version of the library.
struct Engine {
  std::int64_t index = 0;  // cuDNN's global index of the engine
  // The settings of the engine, as types and values, sorted by type.
  std::vector<std::pair<std::int64_t, std::int64_t>> knobs;
  auto operator<=>(const Engine&) const = default;
};

// Both functions convert between an engine and a name such as "engine 38 k2=5 k13=1".
std::string to_text(const Engine& engine);
// @throws BackendError naming `text` if it is no such name
Engine parse_engine(std::string_view text);

// Says which engines are allowed. Engines that use FFT or Winograd, or that reduce in a lower
// precision, never are.
struct EngineRules {
  Precision precision = Precision::fp32;  // fp32: no tensor cores, no narrower arithmetic
  bool deterministic = false;             // the same bits every time
};

// Holds an engine configuration that the library's heuristics recommend.
struct RecommendedEngine {
  Engine engine;
  // cuDNN compiles the engine when a plan is made of it, which takes up to a second.
  bool is_runtime_compiled = false;
  bool is_fallback = false;  // cuDNN names it as one that always works, not as a fast one
  auto operator<=>(const RecommendedEngine&) const = default;
};

// Returns all engines that the library's heuristics recommend and that follow the rules, in the
// order of the library: the best first, then those that always work. The list is empty where there
// are none.
std::vector<RecommendedEngine> recommended_engines(const EngineTarget& target,
                                                   const Descriptor& graph,
                                                   const EngineRules& rules);

// Engines that are compiled at run time may be tried at most this often for one graph.
constexpr int most_compiled_trials = 2;
// Returns the engines in the order in which they are to be tried. One configuration of each engine
// index comes first, because the library's list begins with many configurations of one engine. The
// others follow, then engines that always work. At the end are the first most_compiled_trials
// engines that are compiled at run time, of different indices if possible.
std::vector<RecommendedEngine> trial_order(const std::vector<RecommendedEngine>& recommended);
// True where there are engines, and all of them are compiled at run time.
bool are_runtime_compiled(const std::vector<RecommendedEngine>& engines);

// Checks one engine.
// @throws BackendError where the engine cannot compute the graph, or breaks the rules
void require_rules(const EngineTarget& target,
                   const Descriptor& graph,
                   const Engine& engine,
                   const EngineRules& rules);

// Returns a plan that is ready to execute.
// @throws BackendError where the engine cannot compute the graph
Descriptor make_execution_plan(const EngineTarget& target,
                               const Descriptor& graph,
                               const Engine& engine);

}  // namespace cnnplan::cudnn
