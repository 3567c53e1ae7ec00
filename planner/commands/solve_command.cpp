// Reads files and options, searches for a plan, and writes it.
#include <algorithm>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/terminal.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/commands/solve_request.hpp"
#include "planner/commands/solve_words.hpp"
#include "planner/import/network_source.hpp"
#include "planner/launch/placement.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/plan/normalised_values.hpp"
#include "planner/plan/planned_layers.hpp"
#include "planner/plan/rival_plan.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/table.hpp"
#include "planner/report/what_if_text.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/candidates/request_check.hpp"
#include "planner/search/plans/scores.hpp"
#include "planner/search/rivals.hpp"
#include "planner/summary/layer_groups.hpp"
#include "planner/summary/layer_table.hpp"
#include "planner/summary/reason.hpp"
#include "planner/summary/reason_text.hpp"
#include "planner/summary/summary_text.hpp"
#include "planner/tensor/enumerators.hpp"
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
  const std::string advice = note + (needs_plan ? "\nsolve without --strict writes that plan" : "");
  if (options.profile_file.empty() && request.profile.kernels.empty()) {
    throw InputError(
        {.file = "--strict",
         .pointer = "",
         .value = "no profile: neither --profile nor a " + std::string(default_profile_file) +
                  " of this device here",
         .allowed =
             "a profile with all kernels of the plan; " +
             (needs_plan
                  ? advice
                  : "make one with:" + std::string(command_line) +
                        profile_advice(plan, request.platform, request.profile, typed(options)))});
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
  std::cout << to_text({.before = plan, .kept = kept, .after = after},
                       joined(options.what_if),
                       columns_of(STDOUT_FILENO));
}

// Says why no chain can be split by layers, if the user allowed it.
void tell_unused_multigrid(const SolveRequest& request) {
  if (request.multigrid && residual_chains(request.network).empty()) {
    print_note("no residual chain in this network: --allow multigrid changes nothing");
  } else if (const std::string advice = short_chain_advice(request); !advice.empty()) {
    print_note("--allow multigrid changes nothing: " + advice);
  }
}

// Says which batch norm keeps a plan from being trained. Inference does not need its statistics.
void tell_untrainable(const Plan& plan) {
  const std::optional<LayerIndex> layer = single_value_norm(plan);
  if (!layer) {
    if (const std::string note = two_values_note(plan); !note.empty()) print_warning(note);
    return;
  }
  const InputProblem problem = single_value_problem(plan, *layer, "");
  print_warning("cnnexec will not train with this plan: " + problem.value +
                "; needed: " + problem.allowed);
}

// Says with which command the plan runs, or why no program can run it.
void tell_written(const Plan& plan, const SolveOptions& options) {
  if (const std::optional<LayerIndex> layer = planned_only_layer(plan.network)) {
    print_note("wrote " + options.output_file + "; cnnexec cannot run it: the layer '" +
               plan.network.layer(*layer).name + "' is only planned");
    return;
  }
  print_note("wrote " + options.output_file + "; run it with:" + std::string(command_line) +
             "mpirun -n " + std::to_string(plan.ranks) + " cnnexec " +
             shell_word(options.output_file));
}

// Says with which command the faster plan on fewer ranks is made.
void tell_fewer_ranks(const Plan& plan, const SolveOptions& options) {
  const std::optional<Reason> reason = reason_of(plan);
  if (!reason || reason->kind != ReasonKind::too_many_ranks) return;
  const int ranks = plan.prediction.rivals[reason->rival].ranks;
  print_note("fewer ranks are faster; plan for " + std::to_string(ranks) +
             " with:" + std::string(command_line) + solve_for_ranks(options.words, ranks));
}

// Says what bf16 would bring on a device whose units compute faster with it. The plan is predicted
// anew, not searched anew.
void tell_faster_precision(const Plan& plan,
                           const SolveRequest& request,
                           const SolveOptions& options) {
  constexpr double enough = 1.05;
  if (options.precision_is_given || !request.platform.kernels) return;
  const KernelRates& rates = *request.platform.kernels;
  if (rates_of(rates, Precision::bf16).flops_per_s <= rates_of(rates, plan.precision).flops_per_s) {
    return;
  }
  Plan other = plan;
  other.precision = Precision::bf16;
  const KernelCosts kernels(request.profile, request.platform);
  const double step_s = predicted_step_s(other, PriceList(request.platform, kernels));
  const double ratio = plan.prediction.step_s / step_s;
  if (ratio < enough) return;
  print_note("with --precision bf16, this plan takes " + duration(step_s) + ", " +
             times_as_fast(ratio) + "; the default is " + std::string(to_text(plan.precision)));
}

// Says what --overlap would bring, on a device that hides communication, to the plan and to the
// data parallelism that it is compared with. Both plans are predicted anew, not searched anew.
void tell_overlap(const Plan& plan, const SolveRequest& request) {
  constexpr double enough = 1.05;
  if (plan.overlap || plan.ranks == 1 || request.platform.overlap_efficiency == 0.0) return;
  if (device_kind_of(request.platform, request.profile) == DeviceKind::cpu) return;
  const KernelCosts kernels(request.profile, request.platform);
  const PriceList prices(request.platform, kernels);
  Plan other = plan;
  other.overlap = true;
  const double step_s = predicted_step_s(other, prices);
  double largest = plan.prediction.step_s / step_s;
  std::string text = "with --overlap, this plan takes " + duration(step_s) + ", " +
                     times_as_fast(largest) + " as without";
  const auto index = data_parallel_rival(plan.prediction);
  if (index && !is_data_parallel(plan)) {
    const Rival& rival = plan.prediction.rivals[*index];
    const double rival_s = predicted_step_s(plan_of_rival(other, rival).value(), prices);
    largest = std::max(largest, rival.step_s / rival_s);
    text += ", and " + name_of_rival(rival, plan.ranks) + ' ' + duration(rival_s);
  }
  if (largest >= enough) print_note(text);
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
  print_note("wrote " + file +
             ", the platform at this size, for --platform of explain and simulate");
}

void print_plan(const Plan& plan, const SolveOptions& options) {
  if (options.json || is_standard_output(options.output_file)) {
    std::cout << to_json(plan);
    return;
  }
  const std::size_t columns = columns_of(STDOUT_FILENO);
  std::cout << shown_text(summary_of(plan, options.output_file)) << '\n'
            << (options.wide ? explain(plan, std::nullopt, columns) : layer_table(plan, columns));
}

}  // namespace

ExitCode solve_command(const SolveOptions& options) {
  if (options.rank_counts.size() > 1) return scaling_command(options);
  SolveInputs inputs;
  const SolveRequest request = request_of(options, inputs);
  const bool is_written = options.what_if.empty();
  std::optional<OutputFile> output;
  if (is_written) {
    require_own_output(options);
    output.emplace(options.output_file);
  }
  const SolveRequest other = changed(request, options.what_if);
  Solution solution = solution_of(request);
  Plan plan = is_written ? with_rivals(std::move(solution), request) : std::move(solution.plan);
  if (options.strict) refuse_estimates(plan, request, options);
  if (!is_written) {
    print_note(assumptions(plan, request.platform, request.profile, typed(options)));
    print_what_if(plan, other, options);
    return ExitCode::ok;
  }
  tell_unused_multigrid(request);
  tell_untrainable(plan);
  if (const std::string text = unfilled_nodes_text(plan); !text.empty()) print_warning(text);
  plan.inputs = std::move(inputs.files);
  write_resized_platform(inputs.resized_platform_file, request.platform);
  const bool to_stdout = is_standard_output(options.output_file);
  if (!to_stdout) output->write(to_json(plan));
  print_note(assumptions(plan, request.platform, request.profile, typed(options)));
  if (request.uniform) {
    print_note(idle_note(plan));
    print_note(other_splits_note(plan, *request.uniform));
  }
  print_plan(plan, options);
  tell_faster_precision(plan, request, options);
  tell_overlap(plan, request);
  tell_fewer_ranks(plan, options);
  if (to_stdout) return ExitCode::ok;
  tell_written(plan, options);
  return ExitCode::ok;
}

}  // namespace cnnplan
