// Reads files and options, searches for a plan, and writes it.
#include <algorithm>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/commands/solve_request.hpp"
#include "planner/import/network_source.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/plan/normalised_values.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/table.hpp"
#include "planner/report/what_if_text.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/candidates/request_check.hpp"
#include "planner/search/plans/scores.hpp"
#include "planner/search/rivals.hpp"
#include "planner/summary/layer_table.hpp"
#include "planner/summary/summary_text.hpp"
#include "planner/what_if/what_if.hpp"

namespace cnnplan {
namespace {

TypedOptions typed(const SolveOptions& options) {
  return {.network_file = options.network_file,
          .profile_file = options.profile_file,
          .uniform = options.uniform,
          .plan_file = options.output_file};
}

void refuse_estimates(const Plan& plan, const SolveRequest& request, const SolveOptions& options) {
  const std::string note = kernels_note(plan, request.platform, request.profile, typed(options));
  if (note.empty()) return;
  const bool needs_plan = has_kernels_of_plans_only(plan);
  const std::string advice = note + (needs_plan ? "; solve without --strict writes that plan" : "");
  if (options.profile_file.empty() && request.profile.kernels.empty()) {
    throw InputError(
        {.file = "--strict",
         .pointer = "",
         .value = "no profile: neither --profile nor a " + std::string(default_profile_file) +
                  " of this device here",
         .allowed =
             "a profile with all kernels of the plan; " +
             (needs_plan ? advice : "make one with: " + profile_advice(plan, typed(options)))});
  }
  throw InputError(
      {.file = file_or_default(options.profile_file, default_profile_file),
       .pointer = "/kernels",
       .value = "not all kernels of the plan",
       .allowed = "with --strict all of these, timed as the plan runs them: " + advice});
}

SolveRequest changed(SolveRequest request, const std::vector<std::string>& what_if) {
  for (const std::string& text : what_if) {
    apply(parse_what_if(text), request.platform, request.profile);
  }
  return request;
}

// The search scores only a few plans, so the existing plan may still be faster than its result.
Plan fastest_on(const SolveRequest& request, const Plan& kept) {
  Plan anew = solve(request);
  const bool is_faster = kept.prediction.step_s < anew.prediction.step_s &&
                         fits(kept.prediction.memory.total_bytes(), request.platform.memory_bytes);
  return is_faster ? kept : anew;
}

void print_what_if(const Plan& plan, const SolveRequest& other, const SolveOptions& options) {
  const KernelCosts kernels(other.profile, other.platform);
  const Plan kept = with_prediction(plan, PriceList(other.platform, kernels));
  const Plan after = fastest_on(other, kept);
  std::cout << to_text({.before = plan, .kept = kept, .after = after}, joined(options.what_if));
}

// Says why no chain can be split by layers, if the user allowed it.
void tell_unused_multigrid(const SolveRequest& request) {
  if (request.multigrid && residual_chains(request.network).empty()) {
    std::cerr << "no residual chain in this network: --allow multigrid changes nothing\n";
  } else if (const std::string advice = short_chain_advice(request); !advice.empty()) {
    std::cerr << "--allow multigrid changes nothing: " << advice << '\n';
  }
}

// Says which batch norm keeps a plan from being trained. Inference does not need its statistics.
void tell_untrainable(const Plan& plan) {
  const std::optional<LayerIndex> layer = single_value_norm(plan);
  if (!layer) return;
  const InputProblem problem = single_value_problem(plan, *layer, "");
  std::cerr << "cnnexec will not train with this plan: " << problem.value
            << "; needed: " << problem.allowed << '\n';
}

void require_own_output(const SolveOptions& options) {
  for (const std::string& input : {file_or_shipped(options.network_file, shipped_networks),
                                   file_or_default(options.platform_file, default_platform_file),
                                   file_or_default(options.profile_file, default_profile_file)}) {
    require_other_file(options.output_file, input);
  }
}

void write_resized_platform(const std::string& file, const Platform& platform) {
  if (file.empty()) return;
  write_file(file, to_json(platform));
  std::cerr << "wrote " << file << ", the platform at this size, for --platform of explain and "
            << "simulate\n";
}

void print_plan(const Plan& plan, const SolveOptions& options) {
  if (options.json || options.output_file == standard_stream) {
    std::cout << to_json(plan);
    return;
  }
  std::cout << to_text(summary_of(plan)) << '\n'
            << (options.wide ? explain(plan, std::nullopt) : layer_table(plan));
}

}  // namespace

ExitCode solve_command(const SolveOptions& options) {
  if (options.rank_counts.size() > 1) return scaling_command(options);
  SolveInputs inputs;
  const SolveRequest request = request_of(options, inputs);
  if (options.what_if.empty()) require_own_output(options);
  const SolveRequest other = changed(request, options.what_if);
  Solution solution = solution_of(request);
  const bool is_written = options.what_if.empty();
  Plan plan = is_written ? with_rivals(std::move(solution), request) : std::move(solution.plan);
  if (options.strict) refuse_estimates(plan, request, options);
  if (!options.what_if.empty()) {
    std::cerr << assumptions(plan, request.platform, request.profile, typed(options));
    print_what_if(plan, other, options);
    return ExitCode::ok;
  }
  tell_unused_multigrid(request);
  tell_untrainable(plan);
  plan.inputs = std::move(inputs.files);
  write_resized_platform(inputs.resized_platform_file, request.platform);
  const bool to_stdout = options.output_file == standard_stream;
  if (!to_stdout) write_file(options.output_file, to_json(plan));
  std::cerr << assumptions(plan, request.platform, request.profile, typed(options));
  if (request.uniform) std::cerr << idle_note(plan);
  print_plan(plan, options);
  if (to_stdout) return ExitCode::ok;
  std::cerr << "wrote " << options.output_file << "; run it with: mpirun -n " << plan.ranks
            << " cnnexec " << options.output_file << '\n';
  return ExitCode::ok;
}

}  // namespace cnnplan
