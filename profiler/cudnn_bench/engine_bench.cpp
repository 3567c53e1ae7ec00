// Writes one line per engine, also for an engine that fails, because failures are results, too.
#include "profiler/cudnn_bench/engine_bench.hpp"

#include <algorithm>
#include <chrono>

#include "executor/backend/cudnn/engine_trial.hpp"
#include "executor/backend/cudnn/first_run.hpp"
#include "planner/kernel/kernel_json.hpp"

namespace cnnplan::cudnn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Returns a text such as "fused narrow", or an empty one for the plain variant.
std::string variant_text(const ConvolutionVariant& variant) {
  const std::string text = to_text(variant);
  return text.empty() ? text : text.substr(1);
}

OrderedJson begin_line(const StepKernel& kernel) {
  OrderedJson line = new_line("engine");
  line.update(to_ordered_json(kernel.spec));
  line["count"] = kernel.count;
  line["before_batch_norm"] = kernel.before_batch_norm;
  return line;
}

ConvolutionGraph graph_of(Library& library,
                          const KernelSpec& spec,
                          const ConvolutionVariant& variant) {
  return make_convolution_graph(
      EngineTarget(library.handle()), engine_view(spec, variant), variant);
}

}  // namespace

bool sums_outputs(const BenchOptions& options, const StepKernel& kernel) {
  return options.statistics && kernel.before_batch_norm > 0 && can_sum_outputs(kernel.spec);
}

bool is_skipped(const BenchOptions& options, const EngineCandidate& candidate) {
  const std::string name = candidate.name();
  return std::any_of(options.skipped_engines.begin(),
                     options.skipped_engines.end(),
                     [&name](const std::string& skipped) {
                       return name == skipped || name.starts_with(skipped + " ");
                     });
}

std::vector<EngineCandidate> engine_candidates(Library& library,
                                               const KernelSpec& spec,
                                               const ConvolutionVariant& variant,
                                               int most) {
  const EngineTarget target(library.handle());
  const ConvolutionGraph graph = graph_of(library, spec, variant);
  std::vector<EngineCandidate> candidates;
  for (const RecommendedEngine& found :
       recommended_engines(target, graph.graph, rules_of(library, spec))) {
    const int rank = static_cast<int>(candidates.size()) + 1;
    if (most > 0 && rank > most) break;
    candidates.push_back({.variant = variant,
                          .engine = found.engine,
                          .rank = rank,
                          .runtime_compiled = found.is_runtime_compiled});
  }
  return candidates;
}

EngineBench::EngineBench(const BenchContext& context, const StepKernel& kernel)
    : context_(context),
      kernel_(kernel),
      workspace_(context.library),
      sets_(operand_sets(kernel.spec,
                         context.options.operand_bytes,
                         context.library.device().properties().l2_cache_bytes)) {
  for (int set = 0; set < sets_.count; ++set) {
    operands_.emplace_back(
        context.library.device(), kernel.spec, sums_outputs(context.options, kernel));
  }
}

bool EngineBench::time(const EngineCandidate& candidate) {
  OrderedJson line = begin_line(kernel_);
  line["engine"] = candidate.name();
  line["engine_index"] = candidate.engine.index;
  line["variant"] = variant_text(candidate.variant);
  line["rank"] = candidate.rank;
  line["runtime_compiled"] = candidate.runtime_compiled;
  if (is_skipped(context_.options, candidate)) {
    line["error"] = "left out by --skip-engine";
    context_.lines.write(line);
    return false;
  }
  return measure_line(
      context_, first_run_of(candidate.name(), kernel_.spec), line, [&](OrderedJson& measured) {
        add_measurement(candidate, measured);
      });
}

void EngineBench::add_measurement(const EngineCandidate& candidate, OrderedJson& line) {
  Library& library = context_.library;
  const ConvolutionGraph graph = graph_of(library, kernel_.spec, candidate.variant);
  const auto begin = Clock::now();
  ConvolutionProgram program(library, kernel_.spec, candidate.variant, graph, candidate.engine);
  line["plan_s"] = seconds_since(begin);
  line["workspace_bytes"] = program.workspace_bytes();
  if (program.engine_bytes() > library.options().most_workspace_bytes) {
    throw InfeasibleError("workspace of an engine, in bytes",
                          program.engine_bytes(),
                          library.options().most_workspace_bytes);
  }
  const TimedRuns runs =
      time_runs(library.device(), sets_.count, context_.options.sample_s, [&](int set) {
        program.run(operands_[set].operands());
      });
  add_times(line, sets_, runs);
  line["flops"] = flops(kernel_.spec);
  line["flops_per_s"] = per_second(flops(kernel_.spec), runs.time.median_s);
  line["bytes"] = bytes(kernel_.spec);
  line["bytes_per_s"] = per_second(bytes(kernel_.spec), runs.time.median_s);
  line["share_of_bound"] = per_second(bound_s(kernel_.spec, context_.peaks), runs.time.median_s);
}

void write_without_engine(const BenchContext& context,
                          const StepKernel& kernel,
                          const ConvolutionVariant& variant,
                          const std::string& error) {
  OrderedJson line = begin_line(kernel);
  line["engine"] = "";
  line["variant"] = variant_text(variant);
  line["rank"] = 0;
  line["error"] = error;
  context.lines.write(line);
}

}  // namespace cnnplan::cudnn
