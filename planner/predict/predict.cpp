// Sums of the walk over ranks.
#include "planner/predict/predict.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

namespace cnnplan {
namespace {

// Operations of all ranks, joined on the id: rank 0's order first, then what only others have.
class Joined {
 public:
  void add(const Operation& operation, double seconds, bool estimated) {
    const auto [entry, is_new] = index_.try_emplace(operation.id, operations_.size());
    if (is_new) {
      operations_.push_back({.id = operation.id});
      counts_.push_back(0);
    }
    PredictedOperation& joined = operations_[entry->second];
    joined.predicted_s += seconds;
    joined.estimated = joined.estimated || estimated;
    ++counts_[entry->second];
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

bool is_kernel(const Operation& operation) {
  return std::holds_alternative<KernelOperation>(operation.body);
}

MemoryUse memory_with_workspace(const Schedule& schedule, const PriceList& prices) {
  MemoryUse use = memory_of(schedule);
  for (const Operation& operation : schedule.operations) {
    if (is_kernel(operation)) use.buffers_bytes += prices(schedule, operation).workspace_bytes;
  }
  use.available_bytes = prices.platform().memory_bytes;
  return use;
}

}  // namespace

std::vector<Schedule> lower_all(const Plan& plan) {
  std::vector<Schedule> schedules;
  for (int rank = 0; rank < plan.ranks; ++rank) schedules.push_back(lower(plan, rank));
  return schedules;
}

double predict_step_s(const Plan& plan, const PriceList& prices) {
  const auto schedules = lower_all(plan);
  return step_time_s(walk(schedules, prices, Estimate::likely));
}

Prediction predict(const Plan& plan, const PriceList& prices) {
  Prediction prediction = plan.prediction;
  const auto schedules = lower_all(plan);
  const auto timelines = walk(schedules, prices, Estimate::likely);
  prediction.step_s = step_time_s(timelines);
  prediction.low_s = step_time_s(walk(schedules, prices, Estimate::low));
  prediction.high_s = step_time_s(walk(schedules, prices, Estimate::high));
  prediction.memory = {};
  Joined joined;
  std::set<std::string> estimated_kernels;
  double communication_s = 0.0;
  for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
    const Schedule& schedule = schedules[rank];
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
      const Operation& operation = schedule.operations[i];
      const bool estimated = prices(schedule, operation).estimated;
      const double seconds = timelines[rank].durations_s[i];
      joined.add(operation, seconds, estimated);
      if (estimated) {
        const KernelSpec& spec = std::get<KernelOperation>(operation.body).spec;
        estimated_kernels.insert(to_text(canonical(spec)));
      } else if (!is_kernel(operation) && !std::holds_alternative<LoadOperation>(operation.body)) {
        communication_s += seconds;
      }
    }
    const MemoryUse memory = memory_with_workspace(schedule, prices);
    if (memory.total_bytes() >= prediction.memory.total_bytes()) prediction.memory = memory;
  }
  prediction.operations = std::move(joined).means();
  prediction.exposed_communication_s = communication_s / static_cast<double>(schedules.size());
  prediction.estimated_kernels.assign(estimated_kernels.begin(), estimated_kernels.end());
  return prediction;
}

}  // namespace cnnplan
