// Writes the predicted step of a plan as a trace.
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/cli/index_range.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/plan_figures.hpp"
#include "planner/report/table.hpp"
#include "planner/trace/predicted_step.hpp"
#include "planner/trace/trace_file.hpp"

namespace cnnplan {
namespace {

// Returns the chosen ranks. @throws Error (usage) for ranks that there are not
std::optional<Range> chosen_ranks(const std::string& text, int ranks) {
  if (text.empty()) return std::nullopt;
  const auto range = parse_index_range(text);
  if (!range || range->second > ranks) {
    throw Error(ExitCode::usage,
                "--ranks " + text + ": not there; the ranks are 0:" + std::to_string(ranks));
  }
  return Range{range->first, range->second};
}

// Says if the step is not the one of the plan, as with files that --platform names.
void tell_other_step(const Plan& plan, double step_s) {
  constexpr double same_prediction = 1e-6;
  const double planned_s = plan.prediction.step_s;
  if (std::abs(step_s - planned_s) <= same_prediction * planned_s) return;
  print_note("this platform and this profile predict " + duration(step_s) + ", the plan says " +
             duration(planned_s) + ": it was made from other files");
}

PredictedStep predicted_step_of(const Plan& plan, const TraceCommandOptions& options) {
  const auto found = figures_of(plan, options.platform_file, options.profile_file);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    throw Error(ExitCode::bad_input, "no predicted times: " + *problem);
  }
  const auto& [platform, profile] = std::get<PlanFigures>(found);
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  PredictedStep step = predicted_step(plan, prices, chosen_ranks(options.ranks, plan.ranks));
  tell_other_step(plan, step.step_s);
  return step;
}

void write_trace(const EventTrace& trace, const std::string& file) {
  const bool compressed = !file.ends_with(".json") && file != standard_stream;
  write_file(file, trace_text(trace, compressed));
}

}  // namespace

ExitCode trace_command(const TraceCommandOptions& options) {
  if (options.files.size() > 1) throw Error(ExitCode::usage, "trace takes one plan");
  const std::string file = options.files.empty() ? "plan.json" : options.files.front();
  require_streams_once({file, options.platform_file, options.profile_file});
  require_other_file(options.output_file, file);
  require_plan_file(file);
  check_writable(options.output_file);
  const Plan plan = parse_plan(read_file(file), file);
  const PredictedStep step = predicted_step_of(plan, options);
  EventTrace trace;
  add_predicted(step, 0, trace);
  write_trace(trace, options.output_file);
  if (options.output_file == standard_stream) return ExitCode::ok;
  print_note("wrote " + options.output_file + ": " + std::to_string(step.ranks.size()) + " of " +
             std::to_string(plan.ranks) + " ranks, a step of " + duration(step.step_s) +
             "; open it in ui.perfetto.dev or chrome://tracing");
  return ExitCode::ok;
}

}  // namespace cnnplan
