// Reads plans and runs, finds the figures of the plans, and writes the page of the report.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/commands/input_matcher.hpp"
#include "planner/json/schema_kind.hpp"
#include "planner/page/page_html.hpp"
#include "planner/page/report_data.hpp"
#include "planner/plan/rival_plan.hpp"
#include "planner/predict/bounded_kernels.hpp"
#include "planner/predict/operation_places.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/advice.hpp"
#include "planner/search/explain/other_splits.hpp"

namespace cnnplan {
namespace {

// Adds what a plan file does not hold, and prices show: the timeline, reasons for splits, rivals by
// layer, and what is assumed of the machine.
void add_priced_parts(const ReportOptions& options, ReportedPlan& reported) {
  const Plan& plan = reported.plan;
  InputMatcher inputs(plan);
  const auto platform_input = inputs.find(options.platform_file, default_platform_file);
  const auto profile_input = inputs.find(options.profile_file, default_profile_file);
  reported.no_timeline = inputs.problem();
  if (!reported.no_timeline.empty()) return;
  const Platform platform = platform_input
                                ? parse_platform(platform_input->text, platform_input->name)
                                : default_platform(plan.ranks);
  const Profile profile =
      profile_input ? parse_profile(profile_input->text, profile_input->name) : Profile{};
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  reported.timeline = timeline_of(plan, prices);
  reported.roofline = bounded_kernels(plan, prices, profile);
  reported.other_splits = other_splits(plan, prices);
  for (std::size_t i = 0; i < plan.prediction.rivals.size(); ++i) {
    auto rival = plan_of_rival(plan, plan.prediction.rivals[i]);
    if (!rival) continue;
    reported.rivals.push_back({.rival = i, .plan = with_prediction(std::move(*rival), prices)});
  }
  const std::string network = plan.inputs.empty() ? plan.network.name() : plan.inputs.front().file;
  reported.assumptions = assumptions(plan,
                                     platform,
                                     profile,
                                     {.network_file = network,
                                      .profile_file = options.profile_file,
                                      .uniform = {},
                                      .plan_file = reported.path});
}

ReportedPlan reported_plan(const ReportOptions& options,
                           const std::string& text,
                           const std::string& file) {
  ReportedPlan reported{.file = input_file(file, text),
                        .plan = with_places(parse_plan(text, file), file),
                        .path = file};
  add_priced_parts(options, reported);
  return reported;
}

// Returns the plan that was run: the one with the recorded digest, or else the first one, with
// which the comparison says what is wrong.
std::size_t plan_of_run(const RunReport& run, const std::vector<ReportedPlan>& plans) {
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const ReportedPlan& reported) {
    return !run.inputs.empty() && run.inputs.front().sha256 == reported.file.sha256;
  });
  return found == plans.end() ? 0 : static_cast<std::size_t>(found - plans.begin());
}

ReportedRun reported_run(const std::string& text,
                         const std::string& file,
                         const std::vector<ReportedPlan>& plans) {
  RunReport run = parse_run(text, file);
  const std::size_t index = plan_of_run(run, plans);
  const ReportedPlan& reported = plans[index];
  const ComparedFiles files{.plan = reported.path, .run = file};
  Comparison comparison = compare(reported.plan, run, files);
  require_run_of(reported.file.sha256, run, files);
  return {.file = input_file(file, text),
          .plan = index,
          .run = std::move(run),
          .comparison = std::move(comparison)};
}

// Runs come after plans, since they are compared with them.
ReportData data_of(const ReportOptions& options) {
  ReportData data{.version = options.version, .plans = {}, .runs = {}};
  std::vector<std::pair<std::string, std::string>> runs;  // file, content
  for (const std::string& file : options.files) {
    if (options.files.size() == 1) require_plan_file(file);
    std::string text = read_file(file);
    const SchemaKind kind = schema_kind(text, file);
    if (kind == SchemaKind::run) {
      runs.emplace_back(file, std::move(text));
    } else {
      data.plans.push_back(reported_plan(options, text, file));  // refuses other kinds
    }
  }
  if (data.plans.empty()) {
    throw Error(ExitCode::usage, "report: name a plan, too; runs are shown next to their plan");
  }
  for (const auto& [file, text] : runs) {
    data.runs.push_back(reported_run(text, file, data.plans));
  }
  return data;
}

std::string page() {
  const std::string path = report_page_path();
  if (path.empty()) {
    throw EnvironmentError(
        "this build has no page for reports: install npm (scripts/setup), then configure and build "
        "again with a network; the configure step says what was missing. --json prints the values "
        "of the page");
  }
  return read_file(path);
}

}  // namespace

ExitCode report_command(const ReportOptions& options) {
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(), {options.platform_file, options.profile_file});
  require_streams_once(inputs);
  if (options.json) {
    std::cout << to_json(data_of(options));
    return ExitCode::ok;
  }
  for (const std::string& file : options.files) require_other_file(options.output_file, file);
  OutputFile output(options.output_file);
  const std::string empty_page = page();
  const std::string text = page_with(empty_page, to_json(data_of(options)));
  output.write(text);
  if (!is_standard_output(options.output_file)) {
    print_note("wrote " + options.output_file + "; open it in a browser");
  }
  return ExitCode::ok;
}

}  // namespace cnnplan
