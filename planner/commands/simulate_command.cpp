// Simulates the step of a plan, and compares it with the predicted step.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <span>
#include <vector>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/terminal.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/documents.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/commands/input_matcher.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/table.hpp"
#include "planner/simulate/replay.hpp"

namespace cnnplan {
namespace {

// If predictions differ by more, the plan was made from other files.
constexpr double same_prediction = 1e-6;

Platform platform_of(const SimulateOptions& options, int ranks) {
  const std::string name = file_or_default(options.platform_file, default_platform_file);
  return name.empty() ? default_platform(ranks) : read_platform(name);
}

// A profile with the default name is used only if the plan was made from it.
Profile profile_of(const SimulateOptions& options, const Plan& plan) {
  if (!options.profile_file.empty()) return read_profile(options.profile_file);
  const auto found = InputMatcher(plan).find("", default_profile_file);
  if (found) return parse_profile(found->text, found->name);
  if (!file_or_default("", default_profile_file).empty()) {
    print_note(std::string(default_profile_file) + " is not used: the plan was not made from it");
  }
  return Profile{};
}

// With --max-error, refuses input files whose prediction differs from the plan's.
void check_files(const SimulateOptions& options, const Plan& plan, double predicted_s) {
  const double planned_s = plan.prediction.step_s;
  if (std::abs(predicted_s - planned_s) <= same_prediction * planned_s) return;
  if (options.max_error) {
    throw InputError({.file = options.plan_file,
                      .pointer = "/prediction/step_s",
                      .value = duration(planned_s),
                      .allowed = "with --max-error, the step that platform and profile predict (" +
                                 duration(predicted_s) + "); name the files of the plan"});
  }
  print_warning("this platform and this profile predict " + duration(predicted_s) +
                ", the plan says " + duration(planned_s) + ": it was made from other files");
}

std::string overlap_text(const Plan& plan, double overlap) {
  if (overlap > 0.0) {
    return "halos and reductions run as processes of their own, which slow the kernels by " +
           percent(1.0 - overlap) + " of their predicted time";
  }
  return plan.overlap ? "none: the platform hides nothing" : "none: one operation after the other";
}

// Returns the time of kernels and loading on the busiest lane, which no simulation can shorten.
double kernels_s(std::span<const PricedSchedule> schedules) {
  double most_s = 0.0;
  for (const PricedSchedule& priced : schedules) {
    std::vector<double> sums_s(priced.schedule.lanes);
    for (const OperationIndex i : priced.prices.indices()) {
      const Operation& operation = priced.schedule.operations[i];
      if (is_communication(operation)) continue;
      sums_s[operation.lane] += priced.prices[i].seconds;
    }
    most_s = std::max(most_s, *std::max_element(sums_s.begin(), sums_s.end()));
  }
  return most_s;
}

// With --by-messages, collectives are priced and written as if none had been measured.
Traces traces_of(const SimulateOptions& options,
                 const Plan& plan,
                 const PricedPlan& priced,
                 const PriceList& prices) {
  const Platform& platform = prices.platform();
  const TraceOptions traces{.overlap = overlap_of(plan, platform),
                            .begin_s = prices.kernels().step_overhead_s(),
                            .real_bytes = options.real_bytes};
  if (!options.by_messages) return rank_traces(priced.schedules, platform, traces);
  const Platform unmeasured = without_measured_collectives(platform);
  const PricedPlan by_messages =
      lower_and_price(plan, RankClasses::each(plan.ranks), PriceList(unmeasured, prices.kernels()));
  return rank_traces(by_messages.schedules, unmeasured, traces);
}

std::string times_text(const Simulation& times) {
  Table table({{"", Align::left}, {"step"}, {"beyond kernels"}});
  const auto add = [&](const std::string& name, double step_s) {
    table.add_row({name, duration(step_s), duration(step_s - times.kernels_s)});
  };
  add("simulated", times.simulated_s);
  add("predicted", times.predicted_s);
  const double beyond_s = times.predicted_s - times.kernels_s;
  const bool beyond = beyond_s > same_prediction * times.predicted_s;
  table.add_row({"ratio",
                 fixed(times.simulated_s / times.predicted_s, 4),
                 beyond ? fixed((times.simulated_s - times.kernels_s) / beyond_s, 4) : "-"});
  return table.to_text();
}

ExitCode judge(const Simulation& times, std::optional<double> max_error) {
  const double error = std::abs(times.predicted_s / times.simulated_s - 1.0);
  if (!max_error || error <= *max_error) return ExitCode::ok;
  print_warning("the predicted step is " + percent(error) +
                " off the simulated one; allowed: " + percent(*max_error));
  return ExitCode::prediction_outside_limit;
}

}  // namespace

ExitCode simulate_command(const SimulateOptions& options) {
  require_streams_once({options.plan_file, options.platform_file, options.profile_file});
  const Plan plan = read_plan(options.plan_file);
  const Platform platform = platform_of(options, plan.ranks);
  const KernelCosts kernels(profile_of(options, plan), platform);
  const PriceList prices(platform, kernels);
  const PricedPlan priced = lower_and_price(plan, RankClasses::each(plan.ranks), prices);
  VirtualTimeOptions walked = walk_options(plan, prices);
  walked.spreads = false;  // The replayed operations take equally long on all ranks.
  check_files(options, plan, predicted_step_s(plan, prices));
  Simulation found{.predicted_s = step_time_s(walk(priced, walked)),
                   .kernels_s = kernels_s(priced.schedules)};
  const Traces traces = traces_of(options, plan, priced, prices);
  found.processes = std::ssize(traces.processes);
  found.messages = traces.messages;
  found.folder = options.folder;
  write_simulation(options.folder, platform, traces);
  found.simulated_s = replay(options.folder, static_cast<int>(traces.processes.size()));
  if (options.json) {
    std::cout << to_json(found);
  } else {
    const std::size_t columns = columns_of(STDOUT_FILENO);
    const std::string traces_text = std::to_string(found.processes) + " processes, " +
                                    std::to_string(found.messages) + " messages, in " +
                                    options.folder;
    std::cout << times_text(found) << wrapped("traces   ", traces_text, columns)
              << wrapped("overlap  ", overlap_text(plan, walked.overlap), columns);
  }
  return judge(found, options.max_error);
}

}  // namespace cnnplan
