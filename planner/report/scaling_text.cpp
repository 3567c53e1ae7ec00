// Computes rates and efficiencies, and fits them into a table.
#include "planner/report/scaling_text.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "planner/base/terminal.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t words_width = usual_columns - 44;  // the other columns take 44
constexpr int rate_digits = 4;

}  // namespace

std::string plan_words(const Plan& plan) {
  std::map<std::string, int> layers;
  for (const LayerPlan& layer : plan.layers) ++layers[to_text(layer.mesh)];
  std::vector<std::pair<std::string, int>> meshes(layers.begin(), layers.end());
  std::stable_sort(meshes.begin(), meshes.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  std::string text;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const std::string next =
        (i == 0 ? "" : ", ") + meshes[i].first + " (" + std::to_string(meshes[i].second) + ')';
    const std::string rest = ", " + std::to_string(meshes.size() - i) + " more";
    const bool is_last = i + 1 == meshes.size();
    if (i > 0 && text.size() + next.size() + (is_last ? 0 : rest.size()) > words_width) {
      return text + rest;
    }
    text += next;
  }
  return text;
}

ScalingPoint scaling_point(const Plan& plan) {
  const double step_s = plan.prediction.step_s;
  return {.ranks = plan.ranks,
          .step_s = step_s,
          .images_per_s = static_cast<double>(plan.batch) / step_s,
          .plan = plan_words(plan)};
}

double efficiency(const ScalingPoint& point, const std::vector<ScalingPoint>& points) {
  const auto first = std::find_if(
      points.begin(), points.end(), [](const ScalingPoint& p) { return p.step_s.has_value(); });
  return *first->step_s * first->ranks / (*point.step_s * point.ranks);
}

std::string to_text(const std::vector<ScalingPoint>& points) {
  Table table(
      {{"ranks"}, {"step [ms]"}, {"images/s"}, {"efficiency"}, {"meshes (layers)", Align::left}});
  for (const ScalingPoint& point : points) {
    const bool fits = point.step_s.has_value();
    table.add_row({std::to_string(point.ranks),
                   fits ? milliseconds(*point.step_s) : "-",
                   fits ? significant(point.images_per_s, rate_digits) : "-",
                   fits ? percent(efficiency(point, points)) : "-",
                   point.plan});
  }
  return table.to_text();
}

}  // namespace cnnplan
