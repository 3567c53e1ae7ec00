// Averages the times of operations over ranks in each step, then takes medians over steps.
#include "executor/training/run_recorder.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "executor/trace/gathered_ids.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan {
namespace {

std::vector<OperationLabel> labels_of(const Schedule& schedule) {
  std::vector<OperationLabel> labels;
  for (const Operation& operation : schedule.operations) labels.push_back(operation.label);
  return labels;
}

// Sums the times of one operation over ranks, for each step.
struct Total {
  std::size_t position = 0;
  OperationLabel label{};
  int ranks = 0;
  std::vector<double> per_step;
};

void add_rank(std::map<std::string, Total>& totals,
              const std::vector<std::string>& ids,
              const std::vector<OperationLabel>& labels,
              const std::vector<double>& times) {
  const std::size_t steps = ids.empty() ? 0 : times.size() / ids.size();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [entry, is_new] = totals.try_emplace(ids[i]);
    Total& total = entry->second;
    if (is_new) total.position = totals.size();
    total.label = labels[i];
    total.per_step.resize(steps, 0.0);
    ++total.ranks;
    for (std::size_t step = 0; step < steps; ++step) {
      total.per_step[step] += times[step * ids.size() + i];
    }
  }
}

std::vector<MeasuredOperation> in_order(const std::map<std::string, Total>& totals,
                                        const Network& network) {
  std::vector<MeasuredOperation> operations(totals.size());
  for (const auto& [id, total] : totals) {
    std::vector<double> means = total.per_step;
    for (double& value : means) value /= total.ranks;
    operations[total.position - 1] = {.id = id,
                                      .time = measured(summarize(means)),
                                      .ranks = total.ranks,
                                      .place = place_of(total.label, network)};
  }
  return operations;
}

}  // namespace

void RunRecorder::record_step(const StepRunner& runner) {
  const std::size_t place = recorded_steps_++ % most_steps;
  if (place == step_times_s_.size()) step_times_s_.emplace_back();
  step_times_s_[place] = world_.maximum(runner.step_time_s());
}

void RunRecorder::record_operations(const StepRunner& runner) {
  const auto times = runner.operation_times_s();
  const std::size_t place = recorded_operations_++ % most_steps;
  if (operation_times_s_.size() < (place + 1) * times.size()) {
    operation_times_s_.resize((place + 1) * times.size());
  }
  std::copy(times.begin(), times.end(), operation_times_s_.data() + place * times.size());
}

void RunRecorder::summarize_into(RunReport& report) const {
  const auto all_ids = gather_ids(schedule_, world_);
  const std::vector<OperationLabel> labels = labels_of(schedule_);
  const auto all_labels = world_.gather(std::span<const OperationLabel>(labels), 0);
  const auto all_times = world_.gather(std::span<const double>(operation_times_s_), 0);
  if (world_.rank() != 0 || step_times_s_.empty()) return;
  std::map<std::string, Total> totals;
  for (std::size_t rank = 0; rank < all_ids.size(); ++rank) {
    add_rank(totals, all_ids[rank], all_labels[rank], all_times[rank]);
  }
  report.step = measured(summarize(step_times_s_));
  report.operations = in_order(totals, network_);
}

}  // namespace cnnplan
