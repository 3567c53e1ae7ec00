// Says why a plan is faster than another one, from the parts of their critical paths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "planner/base/enumerators.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Names causes of time in a step. Each has one or several parts of the step (cost_of).
enum class Cost {
  kernels,     // all kernels except updates
  reductions,  // sums of gradients, and gathering weights
  updates,     // of weights
  halos,       // exchanges between neighbours
  channels,    // gathering and scattering channels
  shuffles,    // from mesh to mesh
  statistics,  // allreduces of batch norms and of losses
  copies,      // of concats and slices
  loading      // of samples
};
std::string_view to_text(Cost cost);

template <>
struct Enumerators<Cost> {
  static constexpr std::array all{Cost::kernels,
                                  Cost::reductions,
                                  Cost::updates,
                                  Cost::halos,
                                  Cost::channels,
                                  Cost::shuffles,
                                  Cost::statistics,
                                  Cost::copies,
                                  Cost::loading};
};

// Returns the cost that the part of a step counts to.
Cost cost_of(OperationPart part);

// Holds seconds of the critical path by cost, in the order of Enumerators<Cost>::all.
using CostTimes = std::array<double, Enumerators<Cost>::all.size()>;
// Both functions return the costs of a step. They add up to it if its critical path is known.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
CostTimes costs_of(const Prediction& prediction);
CostTimes costs_of(const Rival& rival);
// Returns the costs of these parts of a critical path.
CostTimes costs_of(const std::vector<PartTime>& parts);

// Names the kinds of reasons for a plan.
enum class ReasonKind {
  memory,          // data parallelism does not fit
  more_ranks,      // data parallelism uses fewer ranks
  less_of_cost,    // the plan saves time, most of it in one cost
  too_many_ranks,  // data parallelism on fewer ranks is as fast as the plan, or faster
};
std::string_view to_text(ReasonKind kind);

template <>
struct Enumerators<ReasonKind> {
  static constexpr std::array all{ReasonKind::memory,
                                  ReasonKind::more_ranks,
                                  ReasonKind::less_of_cost,
                                  ReasonKind::too_many_ranks};
};

// Holds seconds of one cost on the critical paths of the plan and of its rival.
struct ComparedCost {
  Cost cost = Cost::kernels;
  double plan_s = 0.0;
  double rival_s = 0.0;
  // Returns what the plan pays more than the rival. It is negative for a saving.
  double more_s() const { return plan_s - rival_s; }
  bool operator==(const ComparedCost&) const = default;
};

// Says why a plan is faster than a rival, or that it hardly is.
struct Reason {
  ReasonKind kind = ReasonKind::less_of_cost;
  std::size_t rival = 0;  // an index of Prediction::rivals
  ComparedCost saved;     // the cost of which the plan saves most
  // The cost that grows most from the rival to the plan. It is missing if no cost grows by more
  // than 0.1 % of the step.
  std::optional<ComparedCost> paid;
  // What the plan pays more than the rival in all other parts of the step together. It is negative
  // if the plan pays less. `saved`, `paid` and this add up to the difference of the steps.
  double rest_s = 0.0;
  bool is_small_batch = false;  // more_ranks: the rival has one sample on each of its ranks
  // These counts matter if `saved` or `paid` are reductions or updates.
  std::int64_t gradients = 0;        // parameters of the network
  std::int64_t plan_gradients = 0;   // that rank 0 sums with others
  std::int64_t rival_gradients = 0;  // that rank 0 of the rival sums with others
  bool operator==(const Reason&) const = default;
};

// Compares the plan with data parallelism. If the plan is itself data-parallel and no fewer ranks
// are as fast (too_many_ranks), or if no data-parallel run is known, compares it with the next
// plan. Returns nothing if the plan has no such rival.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
std::optional<Reason> reason_of(const Plan& plan);

// Returns the index in Prediction::rivals of the fastest data-parallel run that fits, if any does.
std::optional<std::size_t> data_parallel_rival(const Prediction& prediction);
// Returns the index in Prediction::rivals of a data-parallel run that does not fit. Returns nothing
// if a data-parallel run fits, or if there is none.
std::optional<std::size_t> too_large_rival(const Prediction& prediction);

}  // namespace cnnplan
