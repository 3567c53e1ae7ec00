// Predicts what each rank of a plan does when in a step, and which memory it holds meanwhile.
#pragma once

#include <optional>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/tensor/box.hpp"
#include "planner/trace/traced_step.hpp"

namespace cnnplan {

struct PredictedStep {
  double step_s = 0.0;
  std::vector<TracedRank> ranks{};  // in order of their numbers
};

// Up to this number of ranks, a trace shows all of them unless the user chose some.
inline constexpr int most_traced_ranks = 64;

// Walks the plan as predict() does. Without `chosen`, a plan of more than most_traced_ranks shows
// one rank of each class of ranks that do equal work, and its name says for how many it stands.
// @pre validate(plan) holds; `chosen` lies in the ranks of the plan and is not empty
PredictedStep predicted_step(const Plan& plan,
                             const PriceList& prices,
                             const std::optional<Range>& chosen);

}  // namespace cnnplan
