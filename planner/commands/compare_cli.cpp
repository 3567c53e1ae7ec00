// Declares the options of compare, with their help and limits.
#include "planner/commands/compare_cli.hpp"

#include <limits>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "planner/cli/help_text.hpp"
#include "planner/cli/number_in.hpp"
#include "planner/cli/one_of.hpp"

namespace cnnplan {
namespace {

std::string footer() {
  return examples_text({
             {"cnnplan compare plan.json run.json --max-error 0.10 || echo \"it is off\"", ""},
             {"cnnplan compare --format markdown >> \"$GITHUB_STEP_SUMMARY\"", ""},
         }) +
         section_text("IN CI",
                      "Plan, run the plan with cnnexec, and compare. The exit code is 6 when the "
                      "predicted step time is further from the measured one than --max-error (a "
                      "fraction: 0.15 is 15 %), or the predicted memory than --max-memory-error. "
                      "With --format junit, each of these limits is a test case.");
}

void add_output_options(CLI::App& compare, CompareOptions& options) {
  compare.option_defaults()->group("What to print");
  compare.add_option("-l,--layer", options.layer, "Show the row of this layer alone")
      ->type_name("NAME");
  compare.add_flag("--wide", options.wide, "Show every layer")->excludes("--layer");
  compare.add_flag("--json", options.json, "Print all values as JSON instead")
      ->excludes("--layer", "--wide");
  const std::map<std::string, CompareFormat> formats{{"text", CompareFormat::text},
                                                     {"markdown", CompareFormat::markdown},
                                                     {"junit", CompareFormat::junit}};
  compare
      .add_option("--format",
                  options.format,
                  "Print a text for a terminal, Markdown for a summary, or JUnit for test reports")
      ->transform(one_of(formats))
      ->default_str("text")
      ->excludes("--layer", "--wide", "--json");
}

void add_limits(CLI::App& compare, CompareOptions& options) {
  compare.option_defaults()->group("Limits");
  const CLI::Validator fraction = number_in(0.0, std::numeric_limits<double>::infinity());
  compare
      .add_option("-e,--max-error", options.max_error, "Allowed error of the step time, a fraction")
      ->type_name("FRACTION")
      ->check(fraction)
      ->capture_default_str();
  compare
      .add_option("--max-memory-error",
                  options.max_memory_error,
                  "Allowed error of the memory of a rank, a fraction; default: any")
      ->type_name("FRACTION")
      ->check(fraction);
}

}  // namespace

void add_compare(CLI::App& app, CompareOptions& options, const std::string& exit_codes) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Compare predicted with measured times, operation by operation");
  compare->group("Commands");
  compare->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  compare->add_option("run", options.run_file, "Run file")->capture_default_str();
  add_output_options(*compare, options);
  add_limits(*compare, options);
  compare->footer(footer() + exit_codes);
}

}  // namespace cnnplan
