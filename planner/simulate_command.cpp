// From a plan to a simulated step, beside the predicted one.
#include <cmath>
#include <iostream>

#include "planner/chosen_file.hpp"
#include "planner/commands.hpp"
#include "planner/model/error.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/table.hpp"
#include "planner/simulate/replay.hpp"

namespace cnnplan {
namespace {

// Further apart, the plan was made of other files than these.
constexpr double same_prediction = 1e-6;

Platform platform_of(const SimulateOptions& options, int ranks) {
  const std::string name = chosen_file(options.platform_file, default_platform_file);
  return name.empty() ? default_platform(ranks) : read_platform(name);
}

Profile profile_of(const SimulateOptions& options) {
  const std::string name = chosen_file(options.profile_file, default_profile_file);
  return name.empty() ? Profile{} : read_profile(name);
}

void warn_of_other_files(const Plan& plan, double predicted_s) {
  const double planned_s = plan.prediction.step_s;
  if (std::abs(predicted_s - planned_s) <= same_prediction * planned_s) return;
  std::cerr << "these platform and profile predict " << duration(predicted_s) << ", the plan says "
            << duration(planned_s) << ": it was made with others\n";
}

std::string overlap_text(const Plan& plan, double overlap) {
  if (overlap > 0.0) {
    return "halos and reductions run as processes beside the kernels, which they slow by " +
           percent(1.0 - overlap) + " of their predicted time";
  }
  return plan.overlap ? "none: the platform hides nothing" : "none: one operation after the other";
}

}  // namespace

ExitCode simulate_command(const SimulateOptions& options) {
  const Plan plan = read_plan(options.plan_file);
  const Platform platform = platform_of(options, plan.ranks);
  const KernelCosts kernels(profile_of(options));
  const auto schedules = lower_and_price(plan, PriceList(platform, kernels));
  const double overlap = overlap_of(plan, platform);
  const double predicted_s = step_time_s(walk(schedules, {.overlap = overlap}));
  warn_of_other_files(plan, predicted_s);
  const Traces traces =
      rank_traces(schedules, platform, {.overlap = overlap, .real_bytes = options.real_bytes});
  write_simulation(options.folder, platform, traces);
  const double simulated_s = replay(options.folder, static_cast<int>(traces.processes.size()));
  std::cout << "simulated  " << duration(simulated_s) << "  (SimGrid, " << traces.processes.size()
            << " processes, " << traces.messages << " messages)\n"
            << "predicted  " << duration(predicted_s) << '\n'
            << "ratio      " << fixed(simulated_s / predicted_s, 4) << '\n'
            << "overlap    " << overlap_text(plan, overlap) << '\n';
  const double error = std::abs(predicted_s / simulated_s - 1.0);
  if (!options.max_error || error <= *options.max_error) return ExitCode::ok;
  std::cerr << "the predicted step is " << percent(error)
            << " off the simulated one; allowed: " << percent(*options.max_error) << '\n';
  return ExitCode::prediction_outside_limit;
}

}  // namespace cnnplan
