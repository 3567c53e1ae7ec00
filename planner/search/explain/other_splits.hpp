// Predicts the step of a plan if one of its layers were split otherwise.
#pragma once

#include "planner/plan/other_splits.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

// Limits the predictions of other_splits(), times the layers and the classes of ranks of the plan.
// More predictions would take longer than the rest of a report.
inline constexpr std::int64_t most_predicted_layers = 40'000;

// Predicts, for each search unit of the plan, the plan in which the unit alone has another split,
// and all other layers keep theirs. The other splits are data parallelism and the runner-up of the
// unit's margin. Units with equal layers, splits and neighbours are predicted once. Units that take
// 2 % of the step, or are split otherwise than an input, come first, and units that take longer
// before others. Units beyond most_predicted_layers are left out.
// @pre validate(plan) holds; the plan was made from these prices; operations of the prediction have
// a part
// @throws InputError where a runner-up is not a split of its unit
OtherSplits other_splits(const Plan& plan, const PriceList& prices);
// Predicts only the units that are equal to the unit of `layer`, whatever time this takes.
OtherSplits other_splits(const Plan& plan, const PriceList& prices, LayerIndex layer);

}  // namespace cnnplan
