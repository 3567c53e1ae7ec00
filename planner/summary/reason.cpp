// Adds up critical paths by cost, and picks the largest difference.
#include "planner/summary/reason.hpp"

#include <array>

#include "planner/summary/layer_groups.hpp"

namespace cnnplan {

Cost cost_of(OperationPart part) {
  switch (part) {
    case OperationPart::load:
      return Cost::loading;
    case OperationPart::forward:
    case OperationPart::backward_data:
    case OperationPart::backward_filter:
    case OperationPart::statistics:
    case OperationPart::accumulate:
      return Cost::kernels;
    case OperationPart::halo:
      return Cost::halos;
    case OperationPart::channel_allgather:
    case OperationPart::channel_reduce_scatter:
      return Cost::channels;
    case OperationPart::shuffle:
      return Cost::shuffles;
    case OperationPart::copy:
      return Cost::copies;
    case OperationPart::statistics_allreduce:
    case OperationPart::loss_allreduce:
      return Cost::statistics;
    case OperationPart::gradient_reduction:
    case OperationPart::weight_allgather:
      return Cost::reductions;
    case OperationPart::update:
      return Cost::updates;
  }
  return Cost::kernels;
}

CostTimes costs_of(const Prediction& prediction) {
  CostTimes seconds{};
  for (const PredictedOperation& operation : prediction.operations) {
    if (!operation.place.part) continue;
    seconds[static_cast<std::size_t>(cost_of(*operation.place.part))] += operation.critical_s;
  }
  return seconds;
}

CostTimes costs_of(const Rival& rival) {
  return costs_of(rival.parts);
}

CostTimes costs_of(const std::vector<PartTime>& parts) {
  CostTimes seconds{};
  for (const PartTime& part : parts) {
    seconds[static_cast<std::size_t>(cost_of(part.part))] += part.critical_s;
  }
  return seconds;
}

namespace {

// Steps, and costs of a step, that differ by less than this share of the step count as equal.
constexpr double equal_steps = 0.001;

ComparedCost largest_saving(const CostTimes& plan, const CostTimes& rival) {
  ComparedCost largest;
  double saved_s = -1.0;
  for (const Cost cost : Enumerators<Cost>::all) {
    const auto i = static_cast<std::size_t>(cost);
    if (rival[i] - plan[i] <= saved_s) continue;
    saved_s = rival[i] - plan[i];
    largest = {.cost = cost, .plan_s = plan[i], .rival_s = rival[i]};
  }
  return largest;
}

// Exchanges the two sides of a comparison.
ComparedCost reversed(const ComparedCost& compared) {
  return {.cost = compared.cost, .plan_s = compared.rival_s, .rival_s = compared.plan_s};
}

Reason compared(const Plan& plan, std::size_t index, ReasonKind kind) {
  const Prediction& prediction = plan.prediction;
  const Rival& rival = prediction.rivals[index];
  const CostTimes own = costs_of(prediction);
  const CostTimes other = costs_of(rival);
  Reason reason{.kind = kind,
                .rival = index,
                .saved = largest_saving(own, other),
                .paid = {},
                .rest_s = {},
                .gradients = plan.network.parameter_count(),
                .plan_gradients = prediction.reduced_gradients.value_or(0),
                .rival_gradients = rival.reduced_gradients};
  const ComparedCost paid = reversed(largest_saving(other, own));
  if (paid.more_s() > equal_steps * prediction.step_s) reason.paid = paid;
  reason.rest_s = prediction.step_s - rival.step_s - reason.saved.more_s() -
                  (reason.paid ? reason.paid->more_s() : 0.0);
  reason.is_small_batch = kind == ReasonKind::more_ranks && rival.ranks == plan.batch;
  return reason;
}

}  // namespace

std::string_view to_text(Cost cost) {
  constexpr std::array<std::string_view, Enumerators<Cost>::all.size()> names{"kernels",
                                                                              "reductions",
                                                                              "updates",
                                                                              "halos",
                                                                              "channels",
                                                                              "shuffles",
                                                                              "statistics",
                                                                              "copies",
                                                                              "loading"};
  return names[static_cast<std::size_t>(cost)];
}

std::string_view to_text(ReasonKind kind) {
  constexpr std::array<std::string_view, Enumerators<ReasonKind>::all.size()> names{
      "memory", "more_ranks", "less_of_cost", "too_many_ranks"};
  return names[static_cast<std::size_t>(kind)];
}

std::optional<std::size_t> data_parallel_rival(const Prediction& prediction) {
  for (std::size_t i = 0; i < prediction.rivals.size(); ++i) {
    const Rival& rival = prediction.rivals[i];
    if (rival.kind == RivalKind::data_parallel && rival.fits) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> too_large_rival(const Prediction& prediction) {
  if (data_parallel_rival(prediction)) return std::nullopt;
  for (std::size_t i = 0; i < prediction.rivals.size(); ++i) {
    if (prediction.rivals[i].kind == RivalKind::data_parallel) return i;
  }
  return std::nullopt;
}

std::optional<Reason> reason_of(const Plan& plan) {
  const Prediction& prediction = plan.prediction;
  const bool is_plain = is_data_parallel(plan);
  if (const auto large = too_large_rival(prediction); large && !is_plain) {
    return compared(plan, *large, ReasonKind::memory);
  }
  const auto samples = data_parallel_rival(prediction);
  if (samples && prediction.rivals[*samples].ranks < plan.ranks &&
      prediction.rivals[*samples].step_s < (1.0 + equal_steps) * prediction.step_s) {
    return compared(plan, *samples, ReasonKind::too_many_ranks);
  }
  if (samples && !is_plain) {
    const bool fewer = prediction.rivals[*samples].ranks < plan.ranks;
    return compared(plan, *samples, fewer ? ReasonKind::more_ranks : ReasonKind::less_of_cost);
  }
  for (std::size_t i = 0; i < prediction.rivals.size(); ++i) {
    if (prediction.rivals[i].kind != RivalKind::next) continue;
    return compared(plan, i, ReasonKind::less_of_cost);
  }
  return std::nullopt;
}

}  // namespace cnnplan
