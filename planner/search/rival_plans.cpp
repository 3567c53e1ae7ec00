// Splits all layers as the name of a rival says, and compares the step.
#include "planner/search/rival_plans.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/predict/predict.hpp"
#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan {
namespace {

std::optional<Mesh> mesh_named(const std::string& name) {
  try {
    return parse_mesh(name);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Returns a plan with the settings of `plan`, in which all ranks compute all layers alike.
Plan blank_of(const Plan& plan, int ranks) {
  Plan blank = plan;
  blank.ranks = ranks;
  blank.ranks_per_node = std::min(plan.ranks_per_node, ranks);
  blank.multigrid.clear();
  blank.prediction = {};
  const Mesh copies({{Axis::r, ranks}});
  for (LayerPlan& layer : blank.layers) {
    layer = {.mesh = copies, .statistics = layer.statistics};
  }
  return blank;
}

// Data parallelism splits samples and nothing else. Other rivals may take any split.
std::vector<Axis> axes_of(RivalKind kind) {
  return kind == RivalKind::data_parallel ? std::vector<Axis>{Axis::n} : search_axes();
}

}  // namespace

std::optional<Plan> plan_of_rival(const Plan& plan, const Rival& rival, const PriceList& prices) {
  const std::optional<Mesh> mesh = mesh_named(rival.plan);
  if (!mesh || mesh->rank_count() != rival.ranks) return std::nullopt;
  const Plan blank = blank_of(plan, rival.ranks);
  Plan made = mostly_on(blank, split_choices(blank, axes_of(rival.kind)), {.mesh = *mesh});
  made = with_prediction(std::move(made), prices);
  const double difference_s = std::fabs(made.prediction.step_s - rival.step_s);
  if (difference_s > same_rival_step * rival.step_s) return std::nullopt;
  return made;
}

}  // namespace cnnplan
