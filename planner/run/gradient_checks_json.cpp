// Reads and writes gradient checks, one JSON object each.
#include "planner/run/gradient_checks_json.hpp"

#include <nlohmann/json.hpp>

namespace cnnplan {
namespace {

constexpr NumberRange cosine_range{.minimum = -1.0, .maximum = 1.0};

std::vector<double> read_norms(const JsonReader& reader) {
  std::vector<double> norms;
  for (const JsonReader& entry : reader.entries()) norms.push_back(entry.number({.minimum = 0.0}));
  return norms;
}

GradientCheck read_gradient_check(const JsonReader& reader) {
  reader.allow_keys(
      {"step", "cycles", "cosine", "relative_error", "forward_residuals", "backward_residuals"});
  return {.step = reader.at("step").integer(step_range),
          .cycles = reader.at("cycles").integer<int>({1, max_cycles}),
          .cosine = reader.at("cosine").number(cosine_range),
          .relative_error = reader.at("relative_error").number({.minimum = 0.0}),
          .forward_residuals = read_norms(reader.at("forward_residuals")),
          .backward_residuals = read_norms(reader.at("backward_residuals"))};
}

}  // namespace

std::vector<GradientCheck> read_gradient_checks(const JsonReader& root) {
  std::vector<GradientCheck> checks;
  if (!root.has("gradient_checks")) return checks;
  for (const JsonReader& entry : root.at("gradient_checks").entries()) {
    checks.push_back(read_gradient_check(entry));
  }
  return checks;
}

nlohmann::ordered_json to_ordered_json(const std::vector<GradientCheck>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const GradientCheck& check : checks) {
    list.push_back({{"step", check.step},
                    {"cycles", check.cycles},
                    {"cosine", check.cosine},
                    {"relative_error", check.relative_error},
                    {"forward_residuals", check.forward_residuals},
                    {"backward_residuals", check.backward_residuals}});
  }
  return list;
}

}  // namespace cnnplan
