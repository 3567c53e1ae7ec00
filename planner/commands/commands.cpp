// Implements the short commands: compare, check and profile.
#include "planner/commands/commands.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/terminal.hpp"
#include "planner/commands/checkpoint_command.hpp"
#include "planner/commands/documents.hpp"
#include "planner/commands/helper_program.hpp"
#include "planner/import/import_onnx.hpp"
#include "planner/import/onnx/onnx_file.hpp"
#include "planner/json/schema_kind.hpp"
#include "planner/plan/normalised_values.hpp"
#include "planner/predict/operation_places.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/comparison_formats.hpp"
#include "planner/report/error_limits.hpp"
#include "planner/run/run.hpp"
#include "planner/search/explain/prediction_check.hpp"
#include "planner/summary/summary_text.hpp"

namespace cnnplan {
namespace {

void print_comparison(const Plan& plan,
                      const Comparison& comparison,
                      const std::vector<GatedFigure>& figures,
                      const CompareOptions& options) {
  if (options.json) {
    std::cout << to_json(comparison);
  } else if (options.format == CompareFormat::markdown) {
    std::cout << markdown_text(comparison, figures);
  } else if (options.format == CompareFormat::junit) {
    std::cout << junit_text(comparison, figures);
  } else if (!options.layer.empty()) {
    std::cout << row_text(comparison, options.layer, columns_of(STDOUT_FILENO));
  } else if (options.wide) {
    std::cout << to_text(comparison, columns_of(STDOUT_FILENO));
  } else {
    Summary summary = summary_of(plan);
    summary.measured_s = comparison.step.measured_s;
    std::cout << shown_text(summary) << '\n' << short_text(comparison, columns_of(STDOUT_FILENO));
  }
}

// Returns nothing for a stream, which is read once, and for a file that is not one of cnnplan's.
std::optional<SchemaKind> kind_of(const std::string& file) try {
  if (file == standard_stream) return std::nullopt;
  return schema_kind(read_file(file), file);
} catch (const Error&) {
  return std::nullopt;
}

// @throws Error (bad_input) if the user named the run first and the plan second
void require_order(const ComparedFiles& files) {
  if (kind_of(files.plan) != SchemaKind::run || kind_of(files.run) != SchemaKind::plan) return;
  throw Error(ExitCode::bad_input,
              files.plan + " is a run, and " + files.run +
                  " is a plan: the plan comes first:" + std::string(command_line) +
                  "cnnplan compare " + shell_word(files.run) + ' ' + shell_word(files.plan));
}

// Holds a plan and its run as they were read.
struct ReadFiles {
  std::string plan_sha256;
  Plan plan;
  RunReport run;
};

// @throws IoError; InputError for wrong files; Error (bad_input) for swapped ones
ReadFiles read_files(const ComparedFiles& files) try {
  require_plan_file(files.plan);
  const std::string text = read_file(files.plan);
  RunReport run = read_run(files.run);
  return {.plan_sha256 = sha256(text),
          .plan = with_places(parse_plan(text, files.plan), files.plan),
          .run = std::move(run)};
} catch (const InputError&) {
  require_order(files);
  throw;
}

}  // namespace

ExitCode compare_command(const CompareOptions& options) {
  const ComparedFiles files{.plan = options.plan_file, .run = options.run_file};
  require_streams_once({files.plan, files.run});
  const ReadFiles read = read_files(files);
  const Comparison comparison = compare(read.plan, read.run, files);
  require_run_of(read.plan_sha256, read.run, files);
  const std::vector<GatedFigure> figures = gated_figures(
      comparison, {.step = options.max_error, .memory = options.max_memory_error}, files);
  print_comparison(read.plan, comparison, figures, options);
  ExitCode code = ExitCode::ok;
  for (const GatedFigure& figure : figures) {
    if (figure.holds()) continue;
    print_warning(figure.message());
    code = ExitCode::prediction_outside_limit;
  }
  return code;
}

namespace {

// Checks a plan, and returns what it is good for.
std::string check_plan(const std::string& text, const std::string& file) {
  const Plan plan = parse_plan(text, file);
  check_prediction(plan, file);
  const std::optional<LayerIndex> norm = single_value_norm(plan);
  if (!norm) return "valid";
  return "valid for inference; training refuses " + single_value_problem(plan, *norm, file).value;
}

// Parses a file of any kind, and returns what it is good for.
// @throws Error that says what is wrong with the file
std::string check_file(const std::string& file) {
  const std::string text = read_file(file);
  if (is_onnx(text)) {
    import_onnx(parse_onnx(text, file), file, {});
    return "valid";
  }
  switch (schema_kind(text, file)) {
    case SchemaKind::network:
      parse_network(text, file);
      break;
    case SchemaKind::platform:
      parse_platform(text, file);
      break;
    case SchemaKind::profile:
      parse_profile(text, file);
      break;
    case SchemaKind::plan:
      return check_plan(text, file);
    case SchemaKind::run:
      parse_run(text, file);
      break;
    case SchemaKind::checkpoint:
      check_checkpoint(text, file);
      break;
  }
  return "valid";
}

CheckedFile checked_file(const std::string& file) {
  CheckedFile checked{.file = file, .verdict = {}, .message = {}, .problem = {}};
  try {
    checked.verdict = check_file(file);
  } catch (const Error& error) {
    checked.exit_code = error.exit_code();
    checked.message = error.what();
    const auto* const input = dynamic_cast<const InputError*>(&error);
    if (input != nullptr) checked.problem = input->problem();
  }
  return checked;
}

}  // namespace

ExitCode check_command(const CheckOptions& options) {
  require_streams_once(options.files);
  std::vector<CheckedFile> checked;
  for (const std::string& file : options.files) {
    checked.push_back(checked_file(file));
    const CheckedFile& found = checked.back();
    if (found.verdict.empty()) {
      print_error("cnnplan", found.message);
    } else if (!options.json) {
      std::cout << message_text(file + ": " + found.verdict, columns_of(STDOUT_FILENO));
    }
  }
  if (options.json) std::cout << to_json(checked);
  const auto wrong = std::find_if(checked.begin(), checked.end(), [](const CheckedFile& file) {
    return file.exit_code != ExitCode::ok;
  });
  return wrong == checked.end() ? ExitCode::ok : wrong->exit_code;
}

void profile_command(const std::vector<std::string>& arguments) {
  run_helper("cnnplan-profile", arguments);
}

}  // namespace cnnplan
