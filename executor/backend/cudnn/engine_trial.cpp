// Tries engines: each runs once unmeasured, then a few times as a graph between events.
#include "executor/backend/cudnn/engine_trial.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "executor/backend/cudnn/engine_stopwatch.hpp"
#include "executor/backend/cudnn/first_run.hpp"
#include "executor/backend/cudnn/trial_operands.hpp"
#include "executor/backend/cudnn/trial_workspace.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

// Returns nothing where an engine that is recommended cannot be built. That is no error.
std::optional<ConvolutionProgram> try_program(Library& library,
                                              const KernelSpec& spec,
                                              const ConvolutionVariant& variant,
                                              const ConvolutionGraph& graph,
                                              const Engine& engine) {
  try {
    return ConvolutionProgram(library, spec, variant, graph, engine);
  } catch (const BackendError&) {
    return {};
  }
}

bool is_too_large(const Library& library, const ConvolutionProgram& program) {
  return program.engine_bytes() > library.options().most_workspace_bytes;
}

std::optional<ConvolutionGraph> try_graph(Library& library,
                                          const PlacedConvolution& convolution,
                                          const ConvolutionVariant& variant) {
  try {
    return make_convolution_graph(EngineTarget(library.handle()),
                                  engine_view(convolution.spec, variant),
                                  variant,
                                  convolution.begins_inside);
  } catch (const BackendError&) {
    return {};
  }
}

std::vector<RecommendedEngine> engines_to_try(Library& library,
                                              const ConvolutionGraph& graph,
                                              const EngineRules& rules) {
  return trial_order(recommended_engines(EngineTarget(library.handle()), graph.graph, rules));
}

// True where the engine also computes the other blocks of the canonical kernel. A plan names one
// implementation for all of them.
bool fits_mirror_images(Library& library,
                        const PlacedConvolution& convolution,
                        const ConvolutionVariant& variant,
                        const Engine& engine) {
  const std::vector<KernelSpec> images = mirror_images(convolution.spec);
  return std::all_of(images.begin() + 1, images.end(), [&](const KernelSpec& image) {
    const PlacedConvolution placed{.spec = image, .begins_inside = convolution.begins_inside};
    const std::optional<ConvolutionGraph> graph = try_graph(library, placed, variant);
    if (!graph) return false;
    const auto program = try_program(library, image, variant, *graph, engine);
    return program && !is_too_large(library, *program);
  });
}

void tell(const Library& library, const std::string& line) {
  if (library.options().note) library.options().note(line);
}

// Runs the body, in which a program runs for the first time. The program is named before, because
// an engine may end the process, or the use of the device by this process.
// @throws DeviceLostError naming the engine and the kernel
template <typename Body>
bool completes_first_run(Library& library,
                         const KernelSpec& spec,
                         const ConvolutionProgram& program,
                         Body body) {
  const std::string what = first_run_of(program.name(), spec);
  tell(library, "cudnn: " + what);
  try {
    body();
    return true;
  } catch (const Error& error) {
    require_answer(library.device(), what, error);
    tell(library, "cudnn: failed in the " + what + ": " + error.what());
    return false;
  }
}

// It is the fastest of the engines that fit all mirror images. Where none does, it is the fastest
// of all.
struct Best {
  bool fits_mirror_images = false;
  double seconds = std::numeric_limits<double>::infinity();
  std::string name;

  // Returns the time that another engine must stay below.
  double seconds_to_beat() const {
    return fits_mirror_images ? seconds : std::numeric_limits<double>::infinity();
  }
};

class VariantTrial {
 public:
  VariantTrial(Library& library,
               const PlacedConvolution& convolution,
               const ConvolutionOperands& operands)
      : library_(library),
        convolution_(convolution),
        operands_(operands),
        stopwatch_(library.device()) {}

  void run(const ConvolutionVariant& variant) {
    const std::optional<ConvolutionGraph> graph = try_graph(library_, convolution_, variant);
    if (!graph) return;
    const std::vector<RecommendedEngine> engines =
        engines_to_try(library_, *graph, rules_of(library_, convolution_.spec));
    if (variant.fused && has_run() && are_runtime_compiled(engines)) return;
    int tried = 0;
    for (const RecommendedEngine& found : engines) {
      if (tried >= library_.options().engine_trials && has_run()) return;
      give_sign_of_progress();
      auto program = try_program(library_, convolution_.spec, variant, *graph, found.engine);
      if (program && is_too_large(library_, *program)) continue;
      ++tried;
      if (program) time(*program, variant, found.engine);
    }
  }
  const Best& best() const { return best_; }

 private:
  // True where some engine has run, of this variant or of one before it.
  bool has_run() const { return !best_.name.empty(); }

  void time(ConvolutionProgram& program, const ConvolutionVariant& variant, const Engine& engine) {
    give_sign_of_progress();
    double time_s = std::numeric_limits<double>::infinity();
    const bool ran = completes_first_run(library_, convolution_.spec, program, [&] {
      library_.clocks().warm_up([&] {
        program.run(operands_);
        library_.device().synchronize();
      });
      time_s = stopwatch_.best_seconds(program, operands_, best_.seconds_to_beat());
      library_.clocks().was_busy();
    });
    if (!ran || time_s >= best_.seconds_to_beat()) return;
    const bool fits = fits_mirror_images(library_, convolution_, variant, engine);
    const bool is_better = fits || (!best_.fits_mirror_images && time_s < best_.seconds);
    if (is_better) best_ = {fits, time_s, program.name()};
  }

  Library& library_;
  const PlacedConvolution& convolution_;
  const ConvolutionOperands& operands_;
  Stopwatch stopwatch_;
  Best best_;
};

// True where the variant is one of the convolution's, with or without the buffer. Any engine may
// need the buffer for the mirror image of the convolution that it was named for.
bool makes_sense(const ConvolutionVariant& variant, const KernelSpec& spec) {
  const std::vector<ConvolutionVariant> variants = variants_of(spec);
  return std::any_of(variants.begin(), variants.end(), [&](ConvolutionVariant other) {
    other.padded = variant.padded;
    return other == variant;
  });
}

// A name stands for a variant and an engine.
struct Named {
  ConvolutionVariant variant;
  Engine engine;
};

// @throws BackendError naming `name`
Named parse_name(std::string_view name) {
  const ConvolutionVariant variant = parse_variant(name);
  return {.variant = variant, .engine = parse_engine(name)};
}

// Returns nothing, and the reason, where the named engine does not compute `spec` by the rules.
std::optional<ConvolutionProgram> try_named(Library& library,
                                            const PlacedConvolution& convolution,
                                            const Named& named,
                                            const EngineRules& rules,
                                            std::string& reason) {
  const KernelSpec& spec = convolution.spec;
  if (!makes_sense(named.variant, spec)) {
    reason = "not this kind of convolution";
    return {};
  }
  try {
    const EngineTarget target(library.handle());
    const ConvolutionGraph graph = make_convolution_graph(
        target, engine_view(spec, named.variant), named.variant, convolution.begins_inside);
    require_rules(target, graph.graph, named.engine, rules);
    return ConvolutionProgram(library, spec, named.variant, graph, named.engine);
  } catch (const BackendError& error) {
    reason = error.what();
    return {};
  }
}

// A convolution and its mirror image share a name, and the engine may pad for one of them only.
std::optional<ConvolutionProgram> try_named_or_padded(Library& library,
                                                      const PlacedConvolution& convolution,
                                                      Named named,
                                                      const EngineRules& rules,
                                                      std::string& reason) {
  auto program = try_named(library, convolution, named, rules, reason);
  if (program || named.variant.padded || !needs_buffer(convolution.spec)) return program;
  named.variant.padded = true;
  std::string reason_padded;
  return try_named(library, convolution, named, rules, reason_padded);
}

std::string fastest_name(Library& library, const PlacedConvolution& convolution) {
  const KernelSpec& spec = convolution.spec;
  const TrialWorkspace workspace(library);
  const TrialOperands filled(library.device(), spec);
  library.device().synchronize();  // No engine is blamed for work that failed before it.
  VariantTrial variants(library, convolution, filled.operands());
  for (const ConvolutionVariant& variant : variants_of(spec)) variants.run(variant);
  if (variants.best().name.empty()) throw BackendError("cudnn: no engine for " + to_text(spec));
  return variants.best().name;
}

Library::ChoiceKey key_of(const PlacedConvolution& convolution) {
  return {alone(convolution.spec), convolution.begins_inside};
}

// Holds the graph of a variant, and the engines to try for it.
struct VariantEngines {
  ConvolutionVariant variant;
  ConvolutionGraph graph;
  std::vector<RecommendedEngine> engines;
};

// Variants that fuse come first. Where nothing is timed, they are most likely the fastest. Variants
// that cuDNN would have to compile come last.
std::vector<VariantEngines> likely_fastest_first(Library& library,
                                                 const PlacedConvolution& convolution,
                                                 const EngineRules& rules) {
  std::vector<VariantEngines> all;
  for (const ConvolutionVariant& variant : variants_of(convolution.spec)) {
    std::optional<ConvolutionGraph> graph = try_graph(library, convolution, variant);
    if (!graph) continue;
    std::vector<RecommendedEngine> engines = engines_to_try(library, *graph, rules);
    all.push_back({variant, std::move(*graph), std::move(engines)});
  }
  const auto is_fused = [](const VariantEngines& one) { return one.variant.fused; };
  const auto is_ready = [](const VariantEngines& one) {
    return !are_runtime_compiled(one.engines);
  };
  std::stable_partition(all.begin(), all.end(), is_fused);
  std::stable_partition(all.begin(), all.end(), is_ready);
  return all;
}

// Returns the name of the first engine that runs; empty where none does.
std::string first_recommended(Library& library,
                              const PlacedConvolution& convolution,
                              const EngineRules& rules) {
  const KernelSpec& spec = convolution.spec;
  const TrialWorkspace workspace(library);
  const TrialOperands filled(library.device(), spec);
  library.device().synchronize();  // No engine is blamed for work that failed before it.
  Stopwatch stopwatch(library.device());
  for (const auto& [variant, graph, engines] : likely_fastest_first(library, convolution, rules)) {
    for (const RecommendedEngine& found : engines) {
      give_sign_of_progress();
      auto program = try_program(library, spec, variant, graph, found.engine);
      if (!program || is_too_large(library, *program)) continue;
      constexpr double once = 0.0;
      const auto run_once = [&] { stopwatch.best_seconds(*program, filled.operands(), once); };
      if (completes_first_run(library, spec, *program, run_once)) return program->name();
    }
  }
  return "";
}

// Returns the first recommended program that runs and always gives equal bits. The library object
// remembers it. @throws BackendError where there is none
ConvolutionProgram first_reproducible(Library& library, const PlacedConvolution& convolution) {
  EngineRules rules = rules_of(library, convolution.spec);
  rules.deterministic = true;
  std::string& name = library.reproducible_choices()[key_of(convolution)];
  if (name.empty()) name = first_recommended(library, convolution, rules);
  std::string reason;
  if (!name.empty()) {
    auto program = try_named_or_padded(library, convolution, parse_name(name), rules, reason);
    if (program) return std::move(*program);
  }
  throw BackendError("cudnn: no engine that always gives the same bits for " +
                     to_text(convolution.spec));
}

// True where the named engine computes the convolution if its operands begin where their buffers
// do.
bool needs_aligned_operands(Library& library,
                            const PlacedConvolution& convolution,
                            const Named& named) {
  if (!convolution.begins_inside) return false;
  std::string reason;
  const PlacedConvolution aligned{.spec = convolution.spec};
  return try_named_or_padded(library, aligned, named, rules_of(library, convolution.spec), reason)
      .has_value();
}

// True where the named engine computes the convolution on input with another number of stored
// channels: with zeros where this input has none, or the other way round.
bool is_for_other_storage(Library& library,
                          const PlacedConvolution& convolution,
                          const Named& named) {
  const KernelSpec& spec = convolution.spec;
  const auto stored = [&](std::int64_t channels) {
    return stored_channels(channels, activation_element(spec.precision), DeviceKind::gpu);
  };
  const std::int64_t own = spec.in[Dim::c];
  for (std::int64_t channels = 1; spec.groups == 1 && channels <= stored(1); ++channels) {
    if (channels == own || (stored(channels) != own && stored(own) != channels)) continue;
    PlacedConvolution other = convolution;
    other.spec.in[Dim::c] = channels;
    std::string reason;
    if (try_named_or_padded(library, other, named, rules_of(library, spec), reason)) return true;
  }
  return false;
}

// Returns why another engine may take the place of the named one; empty where none may.
std::string why_another(Library& library,
                        const PlacedConvolution& convolution,
                        const Named& named) {
  if (needs_aligned_operands(library, convolution, named)) {
    return "needs operands at multiples of 16 bytes";
  }
  return is_for_other_storage(library, convolution, named)
             ? "needs another number of stored channels"
             : "";
}

}  // namespace

EngineRules rules_of(const Library& library, const KernelSpec& spec) {
  return {.precision = spec.precision, .deterministic = library.options().deterministic};
}

ConvolutionProgram choose_program(Library& library, const PlacedConvolution& convolution) {
  std::string& name = library.choices()[key_of(convolution)];
  if (name.empty()) {
    name = fastest_name(
        library, {.spec = alone(convolution.spec), .begins_inside = convolution.begins_inside});
  }
  return named_program(library, convolution, name);
}

ConvolutionProgram named_program(Library& library,
                                 const PlacedConvolution& convolution,
                                 std::string_view name) {
  const KernelSpec& spec = convolution.spec;
  const Named named = parse_name(name);
  std::string reason;
  auto program = try_named_or_padded(library, convolution, named, rules_of(library, spec), reason);
  if (program) return std::move(*program);
  const std::string why = why_another(library, convolution, named);
  if (!why.empty()) {
    ConvolutionProgram other = first_reproducible(library, convolution);
    tell(library,
         "cudnn: " + std::string(name) + ' ' + why + ", so " + other.name() + " computes " +
             to_text(spec));
    return other;
  }
  throw BackendError("cudnn: \"" + std::string(name) + "\" does not compute " + to_text(spec) +
                     ": " + reason);
}

ConvolutionProgram reproducible_program(Library& library,
                                        const PlacedConvolution& convolution,
                                        std::string_view name) {
  EngineRules rules = rules_of(library, convolution.spec);
  rules.deterministic = true;
  std::string reason;
  if (!name.empty()) {
    auto named = try_named_or_padded(library, convolution, parse_name(name), rules, reason);
    if (named) return std::move(*named);
  }
  return first_reproducible(library, convolution);
}

}  // namespace cnnplan::cudnn
