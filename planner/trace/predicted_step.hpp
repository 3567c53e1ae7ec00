// Predicts what each rank of a plan does when in a step, and which memory it holds meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/tensor/box.hpp"
#include "planner/trace/traced_step.hpp"

namespace cnnplan {

// The memory of a rank changes at this time.
struct MemoryChange {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;  // from then on: parameters, buffers, and what the step keeps
};

struct PredictedStep {
  double step_s = 0.0;
  std::vector<TracedRank> ranks{};                  // in order of their numbers
  std::vector<std::string> names{};                 // of the ranks
  std::vector<std::vector<MemoryChange>> memory{};  // of the ranks
};

// Up to this number of ranks, a trace shows all of them unless the user chose some.
inline constexpr int most_traced_ranks = 64;

// Walks the plan as predict() does. Without `chosen`, a plan of more than most_traced_ranks shows
// one rank of each class of ranks that do equal work, and its name says for how many it stands.
// @pre validate(plan) holds; `chosen` lies in the ranks of the plan and is not empty
PredictedStep predicted_step(const Plan& plan,
                             const PriceList& prices,
                             const std::optional<Range>& chosen);

// Adds the step, and its counter of memory, `shift_ns` later.
void add_predicted(const PredictedStep& step, std::int64_t shift_ns, EventTrace& trace);

}  // namespace cnnplan
