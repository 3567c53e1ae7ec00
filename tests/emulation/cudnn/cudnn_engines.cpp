// Says which engine runs which graph.
#include "tests/emulation/cudnn/cudnn_engines.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "tests/emulation/cudnn/cudnn_call.hpp"

namespace cnnplan::emulation {
namespace {

bool is_fused(const Graph& graph) {
  return graph.operations.size() > 1;
}

// Returns true for a forward convolution whose result is in memory, and statistics of the result.
bool sums_outputs(const Graph& graph) {
  const auto& operations = graph.operations;
  return operations.size() == 2 && operations[0].kind == OperationKind::forward &&
         operations[1].kind == OperationKind::statistics &&
         operations[1].x.uid == operations[0].y.uid && !operations[0].y.is_virtual;
}

// Returns true for a forward convolution, then an addition, a ReLU or both, each of the result
// before. Statistics may follow the convolution instead.
bool is_known_pattern(const Graph& graph) {
  const auto& operations = graph.operations;
  if (operations.size() == 1) return operations[0].kind != OperationKind::statistics;
  if (sums_outputs(graph)) return true;
  if (operations.size() > 3 || operations[0].kind != OperationKind::forward) return false;
  for (std::size_t i = 1; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const Tensor& before = operations[i - 1].output();
    const bool last_is_relu = operations[i - 1].pointwise.mode == CUDNN_POINTWISE_RELU_FWD;
    if (operation.kind != OperationKind::pointwise || last_is_relu) return false;
    if (operation.x.uid != before.uid || !before.is_virtual) return false;
  }
  return true;
}

bool is_asymmetric(const Graph& graph) {
  const Convolution& convolution = graph.operations[0].convolution;
  return convolution.pre != convolution.post;
}

bool is_double(const Graph& graph) {
  return graph.operations[0].x.type == CUDNN_DATA_DOUBLE;
}

void require_pattern(const Graph& graph) {
  const bool known =
      is_known_pattern(graph) &&
      (!is_fused(graph) || (machine().options.cudnn_fused_graphs && !is_double(graph)));
  require(known, CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, "no engine runs this graph");
}

// Returns true where tensors may begin at addresses that are no multiple of 16 bytes.
bool is_unaligned(const Graph& graph) {
  constexpr std::int64_t needed = 16;
  const Operation& operation = graph.operations[0];
  return operation.x.alignment % needed != 0 || operation.w.alignment % needed != 0 ||
         operation.y.alignment % needed != 0;
}

void require_engine(const Engine& engine) {
  const Graph& graph = *engine.graph;
  require_pattern(graph);
  require(engine.index != broken, CUDNN_STATUS_NOT_SUPPORTED, "this engine never works");
  const bool single = graph.operations[0].kind != OperationKind::pointwise && !is_fused(graph);
  require(
      engine.index == exact || single, CUDNN_STATUS_NOT_SUPPORTED, "only engine 0 runs this graph");
  require(engine.index != tensor_core || !is_double(graph),
          CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
          "tensor cores are not for DOUBLE");
  require(engine.index != tensor_core || !is_unaligned(graph),
          CUDNN_STATUS_NOT_SUPPORTED,
          "tensor cores read 16 bytes at once");
  const int channels = machine().options.cudnn_tensor_channels;
  require(engine.index != tensor_core || graph.operations[0].x.dims[1] % channels == 0,
          CUDNN_STATUS_NOT_SUPPORTED,
          "tensor cores want a multiple of " + std::to_string(channels) + " input channels");
  require(!is_asymmetric(graph) ||
              (engine.index == exact && machine().options.cudnn_asymmetric_padding),
          CUDNN_STATUS_NOT_SUPPORTED_PADDING,
          "the engine pads the same before and after only");
}

// Returns the value of each knob: the chosen one, or its smallest.
std::vector<std::int64_t> knob_values(const EngineConfig& config) {
  const std::vector<KnobInfo> knobs = knobs_of(config.engine);
  std::vector<std::int64_t> values;
  for (const KnobInfo& knob : knobs) values.push_back(knob.minimum);
  for (const KnobChoice& choice : config.knobs) {
    const auto knob = std::find_if(
        knobs.begin(), knobs.end(), [&](const KnobInfo& info) { return info.type == choice.type; });
    require(knob != knobs.end(), "the engine has no such knob");
    require(choice.value >= knob->minimum && choice.value <= knob->maximum &&
                (choice.value - knob->minimum) % knob->stride == 0,
            CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND,
            "the knob has no such value");
    values[static_cast<std::size_t>(knob - knobs.begin())] = choice.value;
  }
  return values;
}

std::uint64_t hash_of(const Graph& graph, cudnnBackendHeurMode_t mode) {
  std::uint64_t hash = machine().options.seed * 31 + static_cast<std::uint64_t>(mode);
  for (const Operation& operation : graph.operations) {
    for (const Tensor* tensor : {&operation.x, &operation.w, &operation.y}) {
      for (const std::int64_t dim : tensor->dims) {
        hash = (hash ^ static_cast<std::uint64_t>(dim)) * 1099511628211ULL;
      }
    }
  }
  return hash;
}

}  // namespace

std::vector<cudnnBackendNumericalNote_t> numerical_notes(const Engine& engine) {
  if (engine.index == tensor_core) return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
  if (engine.index == nondeterministic) return {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
  return {};
}

std::vector<cudnnBackendBehaviorNote_t> behavior_notes(const Engine& engine) {
  const bool is_compiled = is_fused(*engine.graph) && machine().options.cudnn_compiles_fused;
  if (is_compiled) return {CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION};
  return {};
}

std::vector<KnobInfo> knobs_of(const Engine& engine) {
  if (engine.index != tensor_core) return {};
  return {{.type = CUDNN_KNOB_TYPE_TILE_SIZE, .minimum = 0, .maximum = 6, .stride = 2},
          {.type = CUDNN_KNOB_TYPE_STAGES, .minimum = 1, .maximum = 3, .stride = 1}};
}

std::vector<EngineConfig> heuristic_results(const std::shared_ptr<const Graph>& graph,
                                            cudnnBackendHeurMode_t mode) {
  require_pattern(*graph);
  const auto engine = [&](std::int64_t index) { return Engine{.graph = graph, .index = index}; };
  const bool exact_runs = !is_asymmetric(*graph) || machine().options.cudnn_asymmetric_padding;
  std::vector<EngineConfig> results;
  if (exact_runs) results.push_back({.engine = engine(exact)});
  const bool single = !is_fused(*graph) && graph->operations[0].kind != OperationKind::pointwise;
  if (mode == CUDNN_HEUR_MODE_FALLBACK) return results;
  results.push_back({.engine = engine(broken)});
  if (single) {
    results.push_back({.engine = engine(nondeterministic)});
    if (!is_double(*graph)) {
      for (const std::int64_t tile : {0, 4}) {
        results.push_back({.engine = engine(tensor_core),
                           .knobs = {{.type = CUDNN_KNOB_TYPE_TILE_SIZE, .value = tile},
                                     {.type = CUDNN_KNOB_TYPE_STAGES, .value = 2}}});
      }
    }
  }
  std::mt19937_64 random(hash_of(*graph, mode));
  for (std::size_t i = results.size(); i > 1; --i) std::swap(results[i - 1], results[random() % i]);
  return results;
}

Plan make_plan(const EngineConfig& config) {
  require_engine(config.engine);
  const std::vector<std::int64_t> values = knob_values(config);
  Plan plan{.config = config};
  if (config.engine.index == tensor_core) {
    constexpr std::int64_t odd_bytes = 40;  // a multiple of no usual size
    plan.workspace_bytes = 512 * (1 + values[0]) * values[1] + odd_bytes;
  }
  return plan;
}

}  // namespace cnnplan::emulation
