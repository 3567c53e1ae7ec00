// Joins predicted with measured operations, and computes the errors.
#include "planner/report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "planner/base/error.hpp"
#include "planner/report/report_column.hpp"

namespace cnnplan {
namespace {

void require_same(const std::string& pointer,
                  const std::string& run,
                  const std::string& plan,
                  const ComparedFiles& files) {
  if (run == plan) return;
  throw InputError({.file = files.run,
                    .pointer = pointer,
                    .value = run,
                    .allowed = plan + ", as in " + files.plan});
}

void require_same_problem(const Plan& plan, const RunReport& run, const ComparedFiles& files) {
  require_same("/network", '"' + run.network + '"', '"' + plan.network.name() + '"', files);
  require_same("/ranks", std::to_string(run.ranks), std::to_string(plan.ranks), files);
  require_same("/batch", std::to_string(run.batch), std::to_string(plan.batch), files);
}

// Returns the groups of the matched operations, in their order.
std::vector<std::string> join(const Plan& plan, const RunReport& run, Comparison& comparison) {
  std::vector<std::string> groups;
  std::map<std::string, double> measured;
  for (const MeasuredOperation& operation : run.operations) {
    measured[operation.id] = operation.time.median_s;
  }
  std::set<std::string> matched;
  for (const PredictedOperation& operation : plan.prediction.operations) {
    const auto found = measured.find(operation.id);
    if (found == measured.end()) {
      comparison.only_predicted.push_back({operation.id, operation.predicted_s});
      continue;
    }
    matched.insert(operation.id);
    comparison.operations.push_back({operation.id, operation.predicted_s, found->second});
    groups.push_back(group_of(operation));
  }
  for (const MeasuredOperation& operation : run.operations) {
    if (matched.count(operation.id) > 0) continue;
    comparison.only_measured.push_back({operation.id, operation.time.median_s});
  }
  return groups;
}

// Sums up the matched operations by their groups, layers first.
std::vector<ComparedTime> group_times(const Network& network,
                                      const std::vector<ComparedTime>& operations,
                                      const std::vector<std::string>& groups) {
  std::vector<ComparedTime> times;
  std::map<std::string, std::size_t> position;
  for (const Layer& layer : network.layers()) {
    position[layer.name] = times.size();
    times.push_back({layer.name, 0.0, 0.0});
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto [found, is_new] = position.try_emplace(groups[i], times.size());
    if (is_new) times.push_back({groups[i], 0.0, 0.0});
    times[found->second].predicted_s += operations[i].predicted_s;
    times[found->second].measured_s += operations[i].measured_s;
  }
  std::erase_if(times, [](const ComparedTime& time) {
    return time.predicted_s == 0.0 && time.measured_s == 0.0;
  });
  return times;
}

void summarise(Comparison& comparison) {
  int count = 0;
  double differences_s = 0.0;
  double measured_s = 0.0;
  for (const ComparedTime& group : comparison.groups) {
    if (!(group.measured_s > 0)) continue;
    ++count;
    comparison.mean_error += group.error();
    differences_s += std::fabs(group.predicted_s - group.measured_s);
    measured_s += group.measured_s;
    if (group.error() >= comparison.max_error) {
      comparison.max_error = group.error();
      comparison.max_error_group = group.name;
    }
  }
  if (count == 0) return;
  comparison.mean_error /= count;
  comparison.weighted_mean_error = differences_s / measured_s;
}

// Checks that the times of the run are those of GPUs, and not of turns that ranks take on them.
void require_speed(const RunReport& run, const ComparedFiles& files) {
  if (!run.in_turns) return;
  throw InputError({.file = files.run,
                    .pointer = "/in_turns",
                    .value = "true",
                    .allowed = "false: a run whose ranks have a GPU each, or share it by MPS"});
}

}  // namespace

double ComparedTime::error() const {
  const double difference_s = std::fabs(predicted_s - measured_s);
  if (difference_s == 0.0) return 0.0;
  return measured_s > 0 ? difference_s / measured_s : std::numeric_limits<double>::infinity();
}

double ComparedBytes::error() const {
  const auto measured = static_cast<double>(measured_bytes);
  return std::fabs(static_cast<double>(predicted_bytes) - measured) / measured;
}

std::optional<ComparedBytes> compared_memory(const Comparison& comparison) {
  const ComparedBytes memory{.predicted_bytes = comparison.predicted_memory_bytes,
                             .measured_bytes = comparison.predicted_process
                                                   ? comparison.process_peak_bytes
                                                   : comparison.allocated_memory_bytes};
  if (memory.predicted_bytes == 0 || memory.measured_bytes == 0) return std::nullopt;
  return memory;
}

void require_run_of(const std::string& plan_sha256,
                    const RunReport& run,
                    const ComparedFiles& files) {
  if (run.inputs.empty() || run.inputs.front().sha256 == plan_sha256) return;
  throw InputError({.file = files.run,
                    .pointer = "/inputs/0/sha256",
                    .value = '"' + run.inputs.front().sha256 + '"',
                    .allowed = '"' + plan_sha256 + "\", the digest of " + files.plan +
                               ": a run of this very plan"});
}

Comparison compare(const Plan& plan, const RunReport& run, const ComparedFiles& files) {
  require_same_problem(plan, run, files);
  require_speed(run, files);
  Comparison comparison;
  comparison.network = run.network;
  comparison.ranks = run.ranks;
  comparison.batch = run.batch;
  comparison.step = {"step", plan.prediction.step_s, run.step.median_s};
  comparison.measured_step = run.step;
  comparison.predicted_memory_bytes = plan.prediction.memory.total_bytes();
  comparison.predicted_process = plan.prediction.memory.process_bytes > 0;
  comparison.allocated_memory_bytes = run.peak_memory_bytes;
  comparison.process_peak_bytes = run.process_peak_bytes;
  comparison.environment = run.environment;
  const std::vector<std::string> groups = join(plan, run, comparison);
  comparison.groups = group_times(plan.network, comparison.operations, groups);
  summarise(comparison);
  comparison.reason = likely_reason(plan, run, files);
  return comparison;
}

}  // namespace cnnplan
