// Compares what the recorder reports with the times that every rank kept for itself.
#include "executor/training/run_recorder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/synthetic_data.hpp"
#include "planner/run/statistics.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

// Splits two samples over the ranks. From three ranks on, some own nothing and have fewer
// operations.
Plan thin_plan(int ranks) {
  const Network network("thin",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"conv", {"data"}, Convolution{.filters = 3}},
                         {"pool", {"conv"}, GlobalPooling{}},
                         {"loss", {"pool"}, SoftmaxCrossEntropy{}}});
  return uniform_plan(network, 2, Mesh({{Axis::n, ranks}}));
}

// A plan, its parts, and a runner of this rank's schedule.
struct Training {
  explicit Training(const Communicator& world)
      : plan(thin_plan(world.size())),
        schedule(lower(plan, world.rank())),
        backend(make_backend(test::tested_backend("reference"))),
        parameters(schedule, plan.network, plan.precision, *backend),
        groups(world),
        data(batch_shape(plan.network, plan.batch, plan.precision), 1),
        runner(schedule,
               {.backend = backend.get(),
                .parameters = &parameters,
                .groups = &groups,
                .data = &data}) {}

  Plan plan;
  Schedule schedule;
  std::unique_ptr<Backend> backend;
  ParameterStore parameters;
  Groups groups;
  SyntheticData data;
  StepRunner runner;
};

// Returns the times of one operation by rank. They are empty where the rank does not have it.
std::vector<std::vector<double>> times_by_rank(
    const std::map<std::string, std::vector<double>>& own,
    const std::string& id,
    const Communicator& world) {
  const auto found = own.find(id);
  const std::vector<double> times = found == own.end() ? std::vector<double>() : found->second;
  return world.gather(std::span<const double>(times), 0);
}

// Returns for each step the mean over the ranks that have the operation.
std::vector<double> means(const std::vector<std::vector<double>>& by_rank, std::size_t steps) {
  std::vector<double> result(steps, 0.0);
  double ranks = 0.0;
  for (const auto& times : by_rank) {
    if (times.empty()) continue;
    ++ranks;
    for (std::size_t step = 0; step < steps; ++step) result[step] += times[step];
  }
  for (double& value : result) value /= ranks;
  return result;
}

// What the lowering of any rank says about an operation.
OperationPlace place_in(const Training& training, const std::string& id) {
  for (int rank = 0; rank < training.plan.ranks; ++rank) {
    for (const Operation& operation : lower(training.plan, rank).operations) {
      if (operation.id == id) return place_of(operation.label, training.plan.network);
    }
  }
  throw std::logic_error("no operation " + id);
}

// Returns on all ranks the ids that the report of rank 0 has.
std::vector<std::string> shared_ids(const RunReport& report, const Communicator& world) {
  std::string text;
  for (const MeasuredOperation& operation : report.operations) text += operation.id + '\n';
  text = world.broadcast(text, 0);
  std::vector<std::string> ids;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ids.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return ids;
}

}  // namespace

TEST_CASE("RunRecorder: medians over steps, of means over the ranks that have the operation") {
  const Communicator world = Communicator::world();
  Training training(world);
  RunRecorder recorder(training.schedule, training.plan.network, world);
  std::map<std::string, std::vector<double>> own;
  std::vector<double> slowest;
  constexpr std::size_t steps = 5;
  for (std::size_t step = 0; step < steps; ++step) {
    training.runner.run({.step = static_cast<std::int64_t>(step), .learning_rate = 0.01});
    recorder.record_step(training.runner);
    recorder.record_operations(training.runner);
    slowest.push_back(world.maximum(training.runner.step_time_s()));
    for (const OperationIndex i : training.schedule.operations.indices()) {
      own[training.schedule.operations[i].id].push_back(training.runner.operation_times_s()[i]);
    }
  }
  RunReport report;
  recorder.summarize_into(report);
  const std::vector<std::string> ids = shared_ids(report, world);
  REQUIRE(ids.size() >= training.schedule.operations.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CAPTURE(ids[i]);
    const auto by_rank = times_by_rank(own, ids[i], world);
    if (world.rank() != 0) continue;
    const MeasuredOperation& operation = report.operations[i];
    const auto has_it = [](const auto& times) { return !times.empty(); };
    CHECK(operation.ranks == std::count_if(by_rank.begin(), by_rank.end(), has_it));
    const Statistics expected = summarize(means(by_rank, steps));
    CHECK(operation.time.median_s == relative(expected.median_s, 1e-12));
    CHECK(operation.time.count == static_cast<int>(steps));
    CHECK(operation.place == place_in(training, ids[i]));
  }
  if (world.rank() != 0) return;
  CHECK(report.step.median_s == summarize(slowest).median_s);
  CHECK(report.step.max_s == *std::max_element(slowest.begin(), slowest.end()));
}

TEST_CASE("RunRecorder: keeps the last steps only") {
  const Communicator world = Communicator::world();
  Training training(world);
  RunRecorder recorder(training.schedule, training.plan.network, world);
  for (std::size_t step = 0; step < RunRecorder::most_steps + 7; ++step) {
    training.runner.run({.learning_rate = 0.01});
    recorder.record_step(training.runner);
    recorder.record_operations(training.runner);
  }
  RunReport report;
  recorder.summarize_into(report);
  if (world.rank() != 0) return;
  CHECK(report.step.count == static_cast<int>(RunRecorder::most_steps));
  CHECK(report.operations.front().time.count == static_cast<int>(RunRecorder::most_steps));
}

TEST_CASE("RunRecorder: without steps there is nothing to report") {
  const Communicator world = Communicator::world();
  const Training training(world);
  const RunRecorder recorder(training.schedule, training.plan.network, world);
  RunReport report;
  recorder.summarize_into(report);
  CHECK(report == RunReport{});
}

}  // namespace cnnplan
