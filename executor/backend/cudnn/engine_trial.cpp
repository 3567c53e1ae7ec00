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
    ConvolutionProgram program(library, spec, variant, graph, engine);
    if (program.engine_bytes() > library.options().most_workspace_bytes) return {};
    return program;
  } catch (const BackendError&) {
    return {};
  }
}

std::optional<ConvolutionGraph> try_graph(Library& library,
                                          const KernelSpec& spec,
                                          const ConvolutionVariant& variant) {
  try {
    return make_convolution_graph(
        EngineTarget(library.handle()), engine_view(spec, variant), variant);
  } catch (const BackendError&) {
    return {};
  }
}

// True where the engine also computes the other blocks of the canonical kernel. A plan names one
// implementation for all of them.
bool fits_mirror_images(Library& library,
                        const KernelSpec& spec,
                        const ConvolutionVariant& variant,
                        const Engine& engine) {
  const std::vector<KernelSpec> images = mirror_images(spec);
  return std::all_of(images.begin() + 1, images.end(), [&](const KernelSpec& image) {
    const std::optional<ConvolutionGraph> graph = try_graph(library, image, variant);
    return graph && try_program(library, image, variant, *graph, engine);
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
  VariantTrial(Library& library, const KernelSpec& spec, const ConvolutionOperands& operands)
      : library_(library), spec_(spec), operands_(operands), stopwatch_(library.device()) {}

  void run(const ConvolutionVariant& variant) {
    const std::optional<ConvolutionGraph> graph = try_graph(library_, spec_, variant);
    if (!graph) return;
    int tried = 0;
    for (const Engine& engine : recommended_engines(
             EngineTarget(library_.handle()), graph->graph, rules_of(library_, spec_))) {
      if (tried == library_.options().engine_trials) return;
      auto program = try_program(library_, spec_, variant, *graph, engine);
      if (!program) continue;
      ++tried;
      time(*program, variant, engine);
    }
  }
  const Best& best() const { return best_; }

 private:
  void time(ConvolutionProgram& program, const ConvolutionVariant& variant, const Engine& engine) {
    give_sign_of_progress();
    double time_s = std::numeric_limits<double>::infinity();
    const bool ran = completes_first_run(library_, spec_, program, [&] {
      library_.clocks().warm_up([&] {
        program.run(operands_);
        library_.device().synchronize();
      });
      time_s = stopwatch_.best_seconds(program, operands_, best_.seconds_to_beat());
      library_.clocks().was_busy();
    });
    if (!ran || time_s >= best_.seconds_to_beat()) return;
    const bool fits = fits_mirror_images(library_, spec_, variant, engine);
    const bool is_better = fits || (!best_.fits_mirror_images && time_s < best_.seconds);
    if (is_better) best_ = {fits, time_s, program.name()};
  }

  Library& library_;
  const KernelSpec& spec_;
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
                                            const KernelSpec& spec,
                                            const Named& named,
                                            const EngineRules& rules,
                                            std::string& reason) {
  if (!makes_sense(named.variant, spec)) {
    reason = "not this kind of convolution";
    return {};
  }
  try {
    const EngineTarget target(library.handle());
    const ConvolutionGraph graph =
        make_convolution_graph(target, engine_view(spec, named.variant), named.variant);
    require_rules(target, graph.graph, named.engine, rules);
    return ConvolutionProgram(library, spec, named.variant, graph, named.engine);
  } catch (const BackendError& error) {
    reason = error.what();
    return {};
  }
}

// A convolution and its mirror image share a name, and the engine may pad for one of them only.
std::optional<ConvolutionProgram> try_named_or_padded(Library& library,
                                                      const KernelSpec& spec,
                                                      Named named,
                                                      const EngineRules& rules,
                                                      std::string& reason) {
  auto program = try_named(library, spec, named, rules, reason);
  if (program || named.variant.padded || !needs_buffer(spec)) return program;
  named.variant.padded = true;
  std::string reason_padded;
  return try_named(library, spec, named, rules, reason_padded);
}

std::string fastest_name(Library& library, const KernelSpec& spec) {
  const TrialWorkspace workspace(library);
  const TrialOperands filled(library.device(), spec);
  library.device().synchronize();  // No engine is blamed for work that failed before it.
  VariantTrial variants(library, spec, filled.operands());
  for (const ConvolutionVariant& variant : variants_of(spec)) variants.run(variant);
  if (variants.best().name.empty()) throw BackendError("cudnn: no engine for " + to_text(spec));
  return variants.best().name;
}

// Variants that fuse come first. Where nothing is timed, they are most likely the fastest.
std::vector<ConvolutionVariant> fused_first(const KernelSpec& spec) {
  std::vector<ConvolutionVariant> variants = variants_of(spec);
  std::stable_partition(variants.begin(), variants.end(), [](const ConvolutionVariant& variant) {
    return variant.fused;
  });
  return variants;
}

// Returns the name of the first engine that runs; empty where none does.
std::string first_recommended(Library& library, const KernelSpec& spec, const EngineRules& rules) {
  const TrialWorkspace workspace(library);
  const TrialOperands filled(library.device(), spec);
  library.device().synchronize();  // No engine is blamed for work that failed before it.
  Stopwatch stopwatch(library.device());
  for (const ConvolutionVariant& variant : fused_first(spec)) {
    const std::optional<ConvolutionGraph> graph = try_graph(library, spec, variant);
    if (!graph) continue;
    for (const Engine& engine :
         recommended_engines(EngineTarget(library.handle()), graph->graph, rules)) {
      auto program = try_program(library, spec, variant, *graph, engine);
      if (!program) continue;
      give_sign_of_progress();
      constexpr double once = 0.0;
      const auto run_once = [&] { stopwatch.best_seconds(*program, filled.operands(), once); };
      if (completes_first_run(library, spec, *program, run_once)) return program->name();
    }
  }
  return "";
}

}  // namespace

EngineRules rules_of(const Library& library, const KernelSpec& spec) {
  return {.precision = spec.precision, .deterministic = library.options().deterministic};
}

ConvolutionProgram choose_program(Library& library, const KernelSpec& spec) {
  const KernelSpec key = alone(spec);
  auto known = library.choices().find(key);
  if (known == library.choices().end()) {
    known = library.choices().emplace(key, fastest_name(library, key)).first;
  }
  return named_program(library, spec, known->second);
}

ConvolutionProgram named_program(Library& library, const KernelSpec& spec, std::string_view name) {
  std::string reason;
  auto program =
      try_named_or_padded(library, spec, parse_name(name), rules_of(library, spec), reason);
  if (program) return std::move(*program);
  throw BackendError("cudnn: \"" + std::string(name) + "\" does not compute " + to_text(spec) +
                     ": " + reason);
}

ConvolutionProgram reproducible_program(Library& library,
                                        const KernelSpec& spec,
                                        std::string_view name) {
  EngineRules rules = rules_of(library, spec);
  rules.deterministic = true;
  std::string reason;
  if (!name.empty()) {
    auto named = try_named_or_padded(library, spec, parse_name(name), rules, reason);
    if (named) return std::move(*named);
  }
  const std::string first = first_recommended(library, spec, rules);
  if (!first.empty()) return named_program(library, spec, first);
  throw BackendError("cudnn: no engine that always gives the same bits for " + to_text(spec));
}

}  // namespace cnnplan::cudnn
