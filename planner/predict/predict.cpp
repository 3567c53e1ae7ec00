// Sums of the walk over ranks.
#include "planner/predict/predict.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/model/checked.hpp"
#include "planner/model/parallel.hpp"

namespace cnnplan {
namespace {

// Operations of all ranks, joined on the id: rank 0's order first, then what only others have.
class Joined {
 public:
  // `count` ranks that run the same.
  void add(const Operation& operation, double seconds, bool estimated, int count) {
    const auto [entry, is_new] = index_.try_emplace(operation.id, operations_.size());
    if (is_new) {
      operations_.push_back({.id = operation.id});
      counts_.push_back(0);
    }
    PredictedOperation& joined = operations_[entry->second];
    joined.predicted_s += seconds * count;
    joined.estimated = joined.estimated || estimated;
    counts_[entry->second] += count;
  }
  std::vector<PredictedOperation> means() && {
    for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i].predicted_s /= counts_[i];
    return std::move(operations_);
  }

 private:
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<PredictedOperation> operations_;
  std::vector<int> counts_;
};

// Fills what is told by operation.
void add_operations(const PricedPlan& priced,
                    std::span<const RankTimeline> timelines,
                    Prediction& prediction) {
  Joined joined;
  std::set<std::string> estimated_kernels;
  double exposed_s = 0.0;
  for (std::size_t i = 0; i < priced.schedules.size(); ++i) {
    const auto& [schedule, prices, shared_workspace] = priced.schedules[i];
    const int ranks = priced.classes.sizes()[i];
    for (std::size_t j = 0; j < schedule.operations.size(); ++j) {
      const Operation& operation = schedule.operations[j];
      joined.add(operation, timelines[i].durations_s[j], prices[j].estimated, ranks);
      if (!prices[j].estimated) continue;
      const KernelSpec& spec = std::get<KernelOperation>(operation.body).spec;
      estimated_kernels.insert(to_text(canonical(spec)));
    }
    exposed_s += timelines[i].exposed_s * ranks;
  }
  prediction.operations = std::move(joined).means();
  prediction.exposed_communication_s = exposed_s / priced.classes.rank_count();
  prediction.estimated_kernels.assign(estimated_kernels.begin(), estimated_kernels.end());
}

std::int64_t workspace_bytes(const PricedSchedule& priced) {
  std::int64_t sum = 0;
  std::int64_t largest = 0;
  for (const Price& price : priced.prices) {
    sum = checked_add(sum, price.workspace_bytes);
    largest = std::max(largest, price.workspace_bytes);
  }
  return priced.shared_workspace ? largest : sum;
}

std::map<std::string, std::string> implementations_of(std::span<const PricedSchedule> schedules,
                                                      const KernelCosts& kernels) {
  std::set<KernelSpec> convolutions;
  for (const PricedSchedule& priced : schedules) {
    for (const Operation& operation : priced.schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      const bool is_convolution = kernel != nullptr && kernel->spec.kind == KernelKind::convolution;
      if (is_convolution) convolutions.insert(canonical(kernel->spec));
    }
  }
  std::map<std::string, std::string> names;
  for (const KernelSpec& spec : convolutions) {
    const std::string name = kernels.implementation(spec);
    if (!name.empty()) names.emplace(to_text(spec), name);
  }
  return names;
}

PricedPlan priced(std::vector<Schedule> schedules, RankClasses classes, const PriceList& prices) {
  PricedPlan result{.classes = std::move(classes), .schedules = {}};
  result.schedules.resize(schedules.size());
  parallel_for(schedules.size(), [&](std::size_t i) {
    result.schedules[i] = cnnplan::priced(std::move(schedules[i]), prices);
  });
  return result;
}

}  // namespace

PricedPlan lower_and_price(const Plan& plan, RankClasses classes, const PriceList& prices) {
  std::vector<Schedule> schedules = lower(plan, classes.ranks());
  return priced(std::move(schedules), std::move(classes), prices);
}

PricedPlan lower_and_price(const Plan& plan, const PriceList& prices) {
  return lower_and_price(plan, RankClasses::of(plan, prices.platform()), prices);
}

std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options) {
  return walk(priced.schedules, priced.classes, options);
}

double predicted_step_s(const Plan& plan, const PriceList& prices) {
  const double overlap = overlap_of(plan, prices.platform());
  RankClasses classes = RankClasses::of(plan, prices.platform());
  std::vector<Schedule> schedules =
      overlap > 0.0 ? lower(plan, classes.ranks()) : lower_for_prices(plan, classes.ranks());
  const PricedPlan all = priced(std::move(schedules), std::move(classes), prices);
  return step_time_s(walk(all, {.overlap = overlap}));
}

double predicted_inference_s(const Plan& plan, const PriceList& prices) {
  RankClasses classes = RankClasses::of(plan, prices.platform());
  std::vector<Schedule> schedules = lower_inference(plan, classes.ranks());
  return step_time_s(walk(priced(std::move(schedules), std::move(classes), prices)));
}

MemoryUse most_memory(std::span<const PricedSchedule> schedules, const Platform& platform) {
  MemoryUse most;
  for (const PricedSchedule& priced : schedules) {
    MemoryUse use = memory_of(priced.schedule);
    use.buffers_bytes = checked_add(use.buffers_bytes, workspace_bytes(priced));
    if (use.total_bytes() >= most.total_bytes()) most = use;
  }
  most.available_bytes = platform.memory_bytes;
  return most;
}

Prediction predict(const Plan& plan, const PricedPlan& priced, const Platform& platform) {
  Prediction prediction = plan.prediction;
  const auto walked = [&](Estimate estimate) {
    return walk(priced, {.estimate = estimate, .overlap = overlap_of(plan, platform)});
  };
  const auto timelines = walked(Estimate::likely);
  prediction.step_s = step_time_s(timelines);
  prediction.low_s = step_time_s(walked(Estimate::low));
  prediction.high_s = step_time_s(walked(Estimate::high));
  add_operations(priced, timelines, prediction);
  prediction.memory = most_memory(priced.schedules, platform);
  return prediction;
}

void complete(Plan& plan, const PricedPlan& priced, const PriceList& prices) {
  plan.prediction = predict(plan, priced, prices.platform());
  plan.implementations = implementations_of(priced.schedules, prices.kernels());
}

Prediction predict(const Plan& plan, const PriceList& prices) {
  return predict(plan, lower_and_price(plan, prices), prices.platform());
}

Plan with_prediction(Plan plan, const PriceList& prices) {
  complete(plan, lower_and_price(plan, prices), prices);
  return plan;
}

}  // namespace cnnplan
