// Asks the library's heuristics for good engines, then for engines that always work.
#include "executor/backend/cudnn/engine.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

// Some knobs have -1 among their values.
constexpr std::int64_t least_knob_value = std::numeric_limits<std::int64_t>::min();

Descriptor engine_of(const Descriptor& configuration) {
  std::vector<Descriptor> engines = configuration.get_descriptors(
      CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (engines.empty()) throw BackendError("cudnn: a configuration without an engine");
  return std::move(engines.front());
}

std::set<cudnnBackendNumericalNote_t> notes_of(const Descriptor& engine) {
  const auto notes = engine.get_enumerators<cudnnBackendNumericalNote_t>(
      CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return {notes.begin(), notes.end()};
}

// Winograd and FFT lose digits, so they are no direct methods.
bool follows(const EngineRules& rules, const std::set<cudnnBackendNumericalNote_t>& notes) {
  std::vector<cudnnBackendNumericalNote_t> refused{CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION,
                                                   CUDNN_NUMERICAL_NOTE_FFT,
                                                   CUDNN_NUMERICAL_NOTE_WINOGRAD,
                                                   CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
                                                   CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
                                                   CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13};
  if (rules.precision == Precision::fp32) {
    refused.push_back(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    refused.push_back(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
  }
  if (rules.deterministic) refused.push_back(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  return std::none_of(refused.begin(), refused.end(), [&notes](cudnnBackendNumericalNote_t note) {
    return notes.contains(note);
  });
}

Engine name_of(const Descriptor& configuration, const Descriptor& engine) {
  Engine name{.index = engine.get_integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), .knobs = {}};
  for (const Descriptor& knob : configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                              CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                                                              CUDNN_KNOB_TYPE_COUNTS)) {
    const auto type = knob.get_enumerator<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                                                  CUDNN_TYPE_KNOB_TYPE);
    name.knobs.emplace_back(type, knob.get_integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  }
  std::sort(name.knobs.begin(), name.knobs.end());
  return name;
}

bool is_runtime_compiled(const Descriptor& engine) {
  const auto notes = engine.get_enumerators<cudnnBackendBehaviorNote_t>(
      CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, CUDNN_BEHAVIOR_NOTE_TYPE_COUNT);
  return std::find(notes.begin(), notes.end(), CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) !=
         notes.end();
}

// Returns nothing where the engine breaks the rules, or where the library cannot describe it.
std::optional<RecommendedEngine> allowed_engine(const Descriptor& configuration,
                                                const EngineRules& rules) {
  try {
    const Descriptor engine = engine_of(configuration);
    if (!follows(rules, notes_of(engine))) return {};
    return RecommendedEngine{.engine = name_of(configuration, engine),
                             .is_runtime_compiled = is_runtime_compiled(engine)};
  } catch (const BackendError&) {
    return {};
  }
}

// Returns no engines where the heuristics of this mode know none.
std::vector<Descriptor> ask_heuristics(const EngineTarget& target,
                                       const Descriptor& graph,
                                       cudnnBackendHeurMode_t mode) {
  try {
    Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph)
        .set_enumerator(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    target.set_for_heuristics(heuristics);
    heuristics.finalize();
    return heuristics.get_all_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                          CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  } catch (const BackendError&) {
    return {};
  }
}

Descriptor make_engine(const EngineTarget& target, const Descriptor& graph, const Engine& engine) {
  Descriptor part(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  part.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph)
      .set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine.index);
  target.set_for_engine(part);
  part.finalize();
  return part;
}

// @throws BackendError for `text` where `digits` are no number of at least `least`
std::int64_t parse_integer(std::string_view digits, std::int64_t least, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc() && stop == end && value >= least) return value;
  throw BackendError("cudnn: \"" + std::string(text) + "\" is no engine of this backend");
}

}  // namespace

std::string to_text(const Engine& engine) {
  std::string text = "engine " + std::to_string(engine.index);
  for (const auto& [type, value] : engine.knobs) {
    text += " k" + std::to_string(type) + "=" + std::to_string(value);
  }
  return text;
}

Engine parse_engine(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string word;
  std::string index;
  words >> word >> index;
  Engine engine{.index = parse_integer(word == "engine" ? index : "", 0, text), .knobs = {}};
  while (words >> word) {
    const std::size_t equals = word.find('=');
    if (word[0] != 'k' || equals == std::string::npos) parse_integer("", 0, text);
    const std::string_view knob = word;
    engine.knobs.emplace_back(parse_integer(knob.substr(1, equals - 1), 0, text),
                              parse_integer(knob.substr(equals + 1), least_knob_value, text));
  }
  return engine;
}

std::vector<RecommendedEngine> recommended_engines(const EngineTarget& target,
                                                   const Descriptor& graph,
                                                   const EngineRules& rules) {
  std::vector<RecommendedEngine> engines;
  std::set<Engine> known;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (const Descriptor& configuration : ask_heuristics(target, graph, mode)) {
      std::optional<RecommendedEngine> found = allowed_engine(configuration, rules);
      if (!found || !known.insert(found->engine).second) continue;
      found->is_fallback = mode == CUDNN_HEUR_MODE_FALLBACK;
      engines.push_back(std::move(*found));
    }
  }
  return engines;
}

std::vector<RecommendedEngine> trial_order(const std::vector<RecommendedEngine>& recommended) {
  // The turns are, in this order: firsts of their index, others, fallbacks, and then compiled ones.
  constexpr int turns = 5;
  std::array<std::vector<RecommendedEngine>, turns> by_turn;
  std::set<std::int64_t> indices;
  for (const RecommendedEngine& found : recommended) {
    const int follows_index = indices.insert(found.engine.index).second ? 0 : 1;
    const int turn = found.is_runtime_compiled ? 3 + follows_index
                     : found.is_fallback       ? 2
                                               : follows_index;
    by_turn[static_cast<std::size_t>(turn)].push_back(found);
  }
  std::vector<RecommendedEngine> order;
  int compiled = 0;
  for (const std::vector<RecommendedEngine>& engines : by_turn) {
    for (const RecommendedEngine& engine : engines) {
      if (engine.is_runtime_compiled && ++compiled > most_compiled_trials) return order;
      order.push_back(engine);
    }
  }
  return order;
}

bool are_runtime_compiled(const std::vector<RecommendedEngine>& engines) {
  return !engines.empty() &&
         std::all_of(engines.begin(), engines.end(), [](const RecommendedEngine& engine) {
           return engine.is_runtime_compiled;
         });
}

void require_rules(const EngineTarget& target,
                   const Descriptor& graph,
                   const Engine& engine,
                   const EngineRules& rules) {
  if (follows(rules, notes_of(make_engine(target, graph, engine)))) return;
  throw BackendError(
      "cudnn: " + to_text(engine) +
      " rounds more, or gives other bits every time, than is allowed here; a profile "
      "taken with the same options names others");
}

Descriptor make_execution_plan(const EngineTarget& target,
                               const Descriptor& graph,
                               const Engine& engine) {
  const Descriptor part = make_engine(target, graph, engine);
  std::vector<Descriptor> knobs;
  for (const auto& [type, value] : engine.knobs) {
    knobs.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR)
        .set_enumerator(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                        CUDNN_TYPE_KNOB_TYPE,
                        static_cast<cudnnBackendKnobType_t>(type))
        .set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, value)
        .finalize();
  }
  Descriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, part);
  if (!knobs.empty()) configuration.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, knobs);
  configuration.finalize();
  Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  target.set_for_plan(plan);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration).finalize();
  return plan;
}

}  // namespace cnnplan::cudnn
