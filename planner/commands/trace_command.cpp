// Writes the predicted step of a plan and the traced steps of a run as one trace.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/cli/index_range.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/plan_figures.hpp"
#include "planner/json/schema_kind.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/table.hpp"
#include "planner/trace/measured_step.hpp"
#include "planner/trace/predicted_step.hpp"
#include "planner/trace/trace_file.hpp"

namespace cnnplan {
namespace {

// Holds the files that a user named, and what they say.
struct TraceInputs {
  std::string plan_file;  // empty: not named
  std::string plan_text;
  std::string run_file;  // empty: not named
  std::optional<RunReport> run;
};

// `other` is the file that has the place of this kind already, or empty.
// @throws Error (usage) for a platform or a profile, which options name, and for two files of a
// kind
void require_place(const std::string& file, SchemaKind kind, const std::string& other) {
  if (kind == SchemaKind::platform || kind == SchemaKind::profile) {
    const std::string name = kind == SchemaKind::platform ? "platform" : "profile";
    throw Error(ExitCode::usage,
                file + " is a " + name + ": name it with --" + name + ' ' + shell_word(file));
  }
  if (other.empty()) return;
  const std::string name = kind == SchemaKind::run ? "runs" : "plans";
  throw Error(ExitCode::usage,
              other + " and " + file + " are both " + name +
                  ": name one plan, one run, or a plan and its run: cnnplan trace PLAN RUN");
}

// @throws InputError for a network or a checkpoint; otherwise as require_place()
void add_input(const std::string& file, TraceInputs& inputs) {
  std::string text = read_file(file);
  const SchemaKind kind = schema_kind(text, file);
  const bool is_run = kind == SchemaKind::run;
  std::string& name = is_run ? inputs.run_file : inputs.plan_file;
  // The parser of plans refuses these files, and says what they are.
  if (kind == SchemaKind::network || kind == SchemaKind::checkpoint) parse_plan(text, file);
  require_place(file, kind, name);
  name = file;
  is_run ? void(inputs.run = parse_run(text, file)) : void(inputs.plan_text = std::move(text));
}

// Returns the plan next to the run that has the name of the plan that was run.
std::string plan_file_of(const TraceInputs& inputs) {
  const std::vector<InputFile>& known = inputs.run->inputs;
  const auto folder = std::filesystem::path(inputs.run_file).parent_path();
  std::string file = known.empty() ? "" : (folder / known.front().file).string();
  if (!file.empty() && file_exists(file)) return file;
  throw Error(ExitCode::bad_input,
              inputs.run_file + ": the plan that it ran" + (file.empty() ? "" : ", " + file + ",") +
                  " is not there: name it, too");
}

// @throws Error (bad_input), InputError unless the run has traced steps of this plan
void require_trace_of(const Plan& plan, const TraceInputs& inputs, const ComparedFiles& files) {
  const RunReport& run = *inputs.run;
  require_run_of(sha256(inputs.plan_text), run, files);
  if (run.ranks != plan.ranks) {
    throw Error(ExitCode::bad_input,
                files.run + " is a run of " + std::to_string(run.ranks) + " ranks, and " +
                    files.plan + " is for " + std::to_string(plan.ranks));
  }
  if (run.trace) return;
  throw Error(ExitCode::bad_input,
              files.run + ": no steps were traced: run again with cnnexec --trace-steps A:B");
}

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

PredictedStep predicted_step_of(const Plan& plan,
                                const TraceCommandOptions& options,
                                const std::optional<Range>& chosen) {
  const auto found = figures_of(plan, options.platform_file, options.profile_file);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    throw Error(ExitCode::bad_input, "no predicted times: " + *problem);
  }
  const auto& [platform, profile] = std::get<PlanFigures>(found);
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  PredictedStep step = predicted_step(plan, prices, chosen);
  tell_other_step(plan, step.step_s);
  return step;
}

// Holds what a trace shows, and says it in words.
struct Shown {
  EventTrace trace{};
  std::vector<int> ranks{};  // empty: not known yet
  std::string text{};
  std::string waiting{};  // of the last steps that were added
};

std::int64_t sum_of(const std::map<std::string, std::int64_t>& waiting) {
  return std::accumulate(waiting.begin(), waiting.end(), std::int64_t{0}, [](auto sum, auto& one) {
    return sum + one.second;
  });
}

// Says which rank waits longest for others in all of the `steps`, and in which operation.
std::string waiting_text(std::span<const std::vector<TracedRank>> steps, const std::string& which) {
  std::map<int, std::map<std::string, std::int64_t>> waiting;  // by rank and operation
  for (const std::vector<TracedRank>& step : steps) {
    for (const TracedRank& rank : step) {
      for (const auto& [id, time_ns] : waiting_ns(rank)) waiting[rank.rank][id] += time_ns;
    }
  }
  if (waiting.empty()) return "no rank waits for others in " + which;
  const auto most =
      std::max_element(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
        return sum_of(a.second) < sum_of(b.second);
      });
  const auto longest =
      std::max_element(most->second.begin(), most->second.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      });
  constexpr double ns_per_s = 1e9;
  return "rank " + std::to_string(most->first) +
         " waits longest: " + duration(static_cast<double>(sum_of(most->second)) / ns_per_s) +
         " in " + which + ", most in " + longest->first;
}

void add_predicted(const PredictedStep& step, Shown& shown) {
  add_step(step.ranks, 0, shown.trace);
  for (const TracedRank& rank : step.ranks) shown.ranks.push_back(rank.rank);
  shown.text += ", a predicted step of " + duration(step.step_s);
  shown.waiting = waiting_text(std::span(&step.ranks, 1), "the predicted step");
}

// Measured steps show the ranks of the predicted one.
void add_measured(const Plan& plan,
                  const RunReport& run,
                  const std::optional<Range>& chosen,
                  Shown& shown) {
  if (shown.ranks.empty()) {
    const Range range = chosen.value_or(Range{0, std::min(plan.ranks, most_traced_ranks)});
    shown.ranks.resize(range.size());
    std::iota(shown.ranks.begin(), shown.ranks.end(), static_cast<int>(range.begin));
  }
  const auto steps = measured_steps(plan, run, shown.ranks);
  for (const std::vector<TracedRank>& step : steps) add_step(step, 0, shown.trace);
  const std::int64_t first = run.trace->first_step;
  const std::int64_t last = first + std::ssize(steps) - 1;
  shown.text += first == last
                    ? ", measured step " + std::to_string(first)
                    : ", measured steps " + std::to_string(first) + " to " + std::to_string(last);
  shown.waiting = waiting_text(steps, steps.size() == 1 ? "the measured step" : "measured steps");
}

// Says what was written, who waits, and how to look at it.
std::string conclusion(const std::string& file,
                       std::size_t bytes,
                       const Plan& plan,
                       const Shown& shown) {
  const bool has_all = std::ssize(shown.ranks) == plan.ranks;
  return "wrote " + file + " (" + bytes_text(bytes) + "): " + std::to_string(shown.ranks.size()) +
         " of " + counted(plan.ranks, "rank") + shown.text + '\n' +
         (has_all ? "" : "of these ranks, ") + shown.waiting +
         "\nto see it, open ui.perfetto.dev in a browser and drag the file into the page";
}

TraceInputs read_inputs(const TraceCommandOptions& options) {
  const bool is_default = options.files.empty();
  const std::vector<std::string> files =
      is_default ? std::vector<std::string>{"plan.json"} : options.files;
  std::vector<std::string> streams = files;
  streams.insert(streams.end(), {options.platform_file, options.profile_file});
  require_streams_once(streams);
  if (files.size() == 1) require_plan_file(files.front());
  TraceInputs inputs;
  for (const std::string& file : files) {
    require_other_file(options.output_file, file);
    add_input(file, inputs);
  }
  return inputs;
}

// A trace is compressed unless it is printed or its name ends in .json.
bool is_compressed(const std::string& file) {
  return !file.ends_with(".json") && !is_standard_output(file);
}

}  // namespace

ExitCode trace_command(const TraceCommandOptions& options) {
  TraceInputs inputs = read_inputs(options);
  const bool is_plan_named = !inputs.plan_file.empty();
  if (!is_plan_named) {
    inputs.plan_file = plan_file_of(inputs);
    inputs.plan_text = read_file(inputs.plan_file);
  }
  OutputFile output(options.output_file);
  const Plan plan = parse_plan(inputs.plan_text, inputs.plan_file);
  if (inputs.run) {
    require_trace_of(plan, inputs, {.plan = inputs.plan_file, .run = inputs.run_file});
  }
  const std::optional<Range> chosen = chosen_ranks(options.ranks, plan.ranks);
  Shown shown;
  if (is_plan_named) add_predicted(predicted_step_of(plan, options, chosen), shown);
  if (inputs.run) add_measured(plan, *inputs.run, chosen, shown);
  const std::string text = trace_text(shown.trace, is_compressed(options.output_file));
  output.write(text);
  if (is_standard_output(options.output_file)) return ExitCode::ok;
  print_note(conclusion(options.output_file, text.size(), plan, shown));
  return ExitCode::ok;
}

}  // namespace cnnplan
