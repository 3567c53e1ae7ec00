// Explains a plan in words, with formulas of its prices if the figures of the machine are at hand.
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/terminal.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/plan_figures.hpp"
#include "planner/predict/bounded_kernels.hpp"
#include "planner/predict/formulas.hpp"
#include "planner/predict/operation_places.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/formula_text.hpp"
#include "planner/report/roofline_json.hpp"
#include "planner/report/roofline_text.hpp"
#include "planner/report/sensitivity_text.hpp"
#include "planner/search/explain/other_splits.hpp"
#include "planner/search/explain/prediction_check.hpp"
#include "planner/search/explain/sensitivity.hpp"
#include "planner/summary/explanation.hpp"
#include "planner/summary/explanation_json.hpp"
#include "planner/summary/layer_table.hpp"
#include "planner/summary/other_splits_text.hpp"
#include "planner/summary/summary_text.hpp"

namespace cnnplan {
namespace {

// Returns why the layer is split as it is.
std::string reason_for_split(const Plan& plan, LayerIndex layer, const PriceList& prices) {
  const OtherSplits found = other_splits(plan, prices, layer);
  return found.units.empty() ? missing_text(found) : to_text(found, found.units.front(), plan);
}

// Prints what needs prices: why the layer is split as it is, and the formulas of its operations.
void print_priced_parts(const Plan& plan, const ExplainOptions& options) {
  const std::size_t columns = columns_of(STDOUT_FILENO);
  std::cout << '\n';
  const auto found = figures_of(plan, options.platform_file, options.profile_file);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    std::cout << message_text("no formulas: " + *problem, columns);
    return;
  }
  const auto& [platform, profile] = std::get<PlanFigures>(found);
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  std::cout << indented(
                   reason_for_split(plan, layer_named(plan, options.layer), prices), 0, columns)
            << '\n'
            << to_text(formulas(plan, options.layer, prices), columns);
}

// Returns the platform and the profile that the plan was made from.
// @throws Error, which says that there is no `result` without them
PlanFigures figures_for(const std::string& result,
                        const Plan& plan,
                        const ExplainOptions& options) {
  auto found = figures_of(plan, options.platform_file, options.profile_file);
  if (const auto* problem = std::get_if<std::string>(&found)) {
    throw Error(ExitCode::bad_input, "no " + result + ": " + *problem);
  }
  return std::get<PlanFigures>(std::move(found));
}

void print_sensitivity(const Plan& plan, const ExplainOptions& options) {
  if (!options.layer.empty()) layer_named(plan, options.layer);
  check_prediction(plan, options.plan_file);
  const auto [platform, profile] = figures_for("sensitivity", plan, options);
  std::cout << to_text(sensitivity(plan, platform, profile, options.layer),
                       plan,
                       options.wide,
                       columns_of(STDOUT_FILENO));
}

void print_roofline(const Plan& plan, const ExplainOptions& options) {
  check_prediction(plan, options.plan_file);
  const auto [platform, profile] = figures_for("roofline", plan, options);
  const KernelCosts kernels(profile, platform);
  Roofline found = bounded_kernels(plan, PriceList(platform, kernels), profile);
  found.profile_command = missing_command(profile_start(plan), options.plan_file);
  if (options.json) {
    OrderedJson document = explanation_document(plan);
    document["roofline"] = to_json(found);
    std::cout << write_json(document);
  } else {
    const std::size_t columns = columns_of(STDOUT_FILENO);
    std::cout << to_text(found, options.wide, columns) << estimate_note(plan, columns);
  }
}

void print_layers(const Plan& plan, const ExplainOptions& options) {
  if (options.wide) {
    std::cout << explain(plan, std::nullopt, columns_of(STDOUT_FILENO));
  } else {
    std::cout << shown_text(summary_of(plan, options.plan_file)) << '\n'
              << layer_table(plan, columns_of(STDOUT_FILENO));
  }
}

void print_layer(const Plan& plan, const ExplainOptions& options) {
  const std::size_t columns = columns_of(STDOUT_FILENO);
  if (options.wide) {
    std::cout << explain(plan, options.layer, columns);
  } else {
    std::cout << layer_row(plan, options.layer, columns) << '\n'
              << explain_operations(plan, options.layer, columns);
  }
  print_priced_parts(plan, options);
}

}  // namespace

ExitCode explain_command(const ExplainOptions& options) {
  require_streams_once({options.plan_file, options.platform_file, options.profile_file});
  const Plan plan = with_places(read_plan(options.plan_file), options.plan_file);
  if (options.sensitivity) {
    print_sensitivity(plan, options);
    return ExitCode::ok;
  }
  if (options.roofline) {
    print_roofline(plan, options);
  } else if (options.json) {
    std::cout << explanation_json(plan);
  } else if (options.layer.empty()) {
    print_layers(plan, options);
  } else {
    print_layer(plan, options);
  }
  return ExitCode::ok;
}

}  // namespace cnnplan
