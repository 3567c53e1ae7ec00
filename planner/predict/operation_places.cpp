// Joins the operations of a prediction with those of the schedules by their ids.
#include "planner/predict/operation_places.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/platform/platform.hpp"
#include "planner/schedule/representatives/rank_classes.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {
namespace {

// Lowers one rank of each class. Links do not change which operations there are, so that the
// default platform serves for plans of any platform.
std::unordered_map<std::string, OperationPlace> places_by_id(const Plan& plan) {
  std::unordered_map<std::string, OperationPlace> places;
  std::mutex mutex;
  const RankClasses classes = RankClasses::of(plan, default_platform(plan.ranks));
  const auto take = [&](std::size_t, const Schedule& schedule) {
    const std::scoped_lock lock(mutex);
    for (const Operation& operation : schedule.operations) {
      places.try_emplace(operation.id, place_of(operation.label, plan.network));
    }
  };
  lower_each(plan, classes.representatives(), {.detail = Detail::priced}, take);
  return places;
}

// Returns the place of a kernel that sums the error signals of a layer. Earlier programs lowered
// one for each sum, also where the statistics of a batch norm add the signals now.
std::optional<OperationPlace> place_of_sum(const std::string& id, const Network& network) {
  const std::size_t name_end = id.find("/accumulate");
  const std::string layer = id.substr(0, name_end);
  const bool is_sum = name_end != std::string::npos && network.index_of(layer).has_value();
  if (!is_sum) return std::nullopt;
  return OperationPlace{.part = OperationPart::accumulate, .layer = layer, .level = {}};
}

}  // namespace

Plan with_places(Plan plan, const std::string& file) {
  std::vector<PredictedOperation>& operations = plan.prediction.operations;
  const bool is_complete = std::all_of(operations.begin(), operations.end(), [](const auto& one) {
    return one.place.part.has_value();
  });
  if (is_complete) return plan;
  const auto places = places_by_id(plan);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto found = places.find(operations[i].id);
    const std::optional<OperationPlace> place =
        found == places.end() ? place_of_sum(operations[i].id, plan.network) : found->second;
    if (!place) {
      throw InputError({.file = file,
                        .pointer = "/prediction/operations/" + std::to_string(i) + "/id",
                        .value = '"' + operations[i].id + '"',
                        .allowed = "an operation of the plan's schedule; solve again"});
    }
    operations[i].place = *place;
  }
  return plan;
}

}  // namespace cnnplan
