// Tests predictions of whole plans: steps, inference, memory, and sums over operations.
#include "planner/predict/predict.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "planner/predict/operation_places.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Returns times for every kernel of the plan, which differ from kernel to kernel.
Profile profile_of(const Plan& plan) {
  Profile profile;
  for (const Schedule& schedule : lower_all(plan)) {
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr) continue;
      const double seconds = 1e-3 * static_cast<double>(1 + profile.kernels.size());
      profile.kernels.try_emplace(canonical(kernel->spec),
                                  KernelTiming{.repetitions = 10,
                                               .median_s = seconds,
                                               .mean_s = seconds * 1.01,
                                               .stddev_s = seconds / 10,
                                               .min_s = seconds * 0.9,
                                               .workspace_bytes = 64});
    }
  }
  return profile;
}

Prediction prediction_of(const Plan& plan, const Profile& profile) {
  Platform platform = default_platform(plan.ranks);
  platform.measured = true;  // so that only kernels are estimated
  const KernelCosts kernels(profile);
  return predict(plan, PriceList(platform, kernels));
}

// Returns a plan with batch norms, halos and branches.
Plan resnet_plan(const char* mesh) {
  const Network network = read_network("configs/networks/resnet50.json");
  return uniform_plan(with_input_size(network, {1, 64, 64}), 4, parse_mesh(mesh));
}

// Returns a plan of one rank that runs a chain of at least three groups by multigrid.
Plan deep_chain_plan() {
  for (std::uint64_t seed = 0;; ++seed) {
    Plan plan = with_concurrency(random_chain_plan(seed, 1), 3);
    if (lower(plan, 0).lanes == 3) return plan;
  }
}

double sum_of_operations(const Prediction& prediction) {
  double sum = 0.0;
  for (const PredictedOperation& operation : prediction.operations) sum += operation.predicted_s;
  return sum;
}

}  // namespace

TEST_CASE("predict: one rank takes the sum of its kernels' medians and the load") {
  const Plan plan = resnet_plan("1");
  const Profile profile = profile_of(plan);
  const Schedule schedule = lower(plan, 0);
  const Buffer& data = schedule.buffers[schedule.data];
  double expected_s = static_cast<double>(data.bytes) * default_platform(1).copy_s_per_byte;
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr) expected_s += profile.kernels.at(canonical(kernel->spec)).median_s;
  }
  const Prediction prediction = prediction_of(plan, profile);
  CHECK(prediction.step_s == relative(expected_s, 1e-9));
  CHECK(prediction.exposed_communication_s == 0.0);
  CHECK(prediction.estimated_kernels.empty());
}

TEST_CASE("predict: the overhead of a step counts once, before the first operation") {
  Plan plan = resnet_plan("n2");
  plan.overlap = true;
  Profile profile = profile_of(plan);
  const Prediction without = prediction_of(plan, profile);
  profile.step_overhead_s = 0.25;
  const Prediction with = prediction_of(plan, profile);
  for (const auto figure : {&Prediction::step_s, &Prediction::low_s, &Prediction::high_s}) {
    CHECK(with.*figure == relative(without.*figure + 0.25, 1e-9));
  }
  CHECK(with.exposed_communication_s == relative(without.exposed_communication_s, 1e-9));
  CHECK(sum_of_operations(with) == relative(sum_of_operations(without), 1e-9));
  double critical_s = 0.0;
  for (const PredictedOperation& operation : with.operations) critical_s += operation.critical_s;
  CHECK(critical_s == relative(with.step_s, 1e-9));
}

TEST_CASE("work_of: memory is exact where it is short, and never too low elsewhere") {
  Plan plan = resnet_plan("n2");
  const Profile profile = profile_of(plan);
  const KernelCosts kernels(profile);
  for (const bool overlap : {false, true}) {
    CAPTURE(overlap);
    plan.overlap = overlap;
    Platform platform = default_platform(plan.ranks);
    const auto bytes_within = [&](std::int64_t memory_bytes) {
      platform.memory_bytes = memory_bytes;
      return work_of(plan, PriceList(platform, kernels)).memory.total_bytes();
    };
    const std::int64_t needed = predict(plan, PriceList(platform, kernels)).memory.total_bytes();
    const std::int64_t most = bytes_within(std::int64_t{1} << 60);
    CHECK(most >= needed);
    CHECK((most > needed) == !overlap);
    CHECK(bytes_within(most) == most);
    CHECK(bytes_within(most - 1) == needed);
    CHECK(bytes_within(needed - 1) == needed);
  }
}

TEST_CASE("predict: what a concat copies on its rank is no communication") {
  const Network network = read_network("configs/networks/googlenet.json");
  const Network small = with_input_size(network, {1, 64, 64});
  const Prediction prediction = prediction_of(uniform_plan(small, 2, Mesh()), Profile{});
  CHECK(prediction.exposed_communication_s == doctest::Approx(0.0).epsilon(1e-12));
  double copies_s = 0.0;
  for (const PredictedOperation& operation : prediction.operations) {
    if (operation.place.part == OperationPart::copy) copies_s += operation.predicted_s;
  }
  CHECK(copies_s > 0.0);
  CHECK(sum_of_operations(prediction) == relative(prediction.step_s, 1e-9));
}

TEST_CASE("predicted_step_s: the step of the whole prediction, with and without overlap") {
  for (const NamedPlan& named : random_plans(8)) {
    CAPTURE(named.name);
    Plan plan = named.plan;
    Platform platform = default_platform(plan.ranks);
    platform.overlap_efficiency = 0.7;
    const KernelCosts kernels;
    const PriceList prices(platform, kernels);
    for (const bool overlap : {false, true}) {
      plan.overlap = overlap;
      CHECK(predicted_step_s(plan, prices) == predict(plan, prices).step_s);
    }
  }
}

TEST_CASE("predicted_step_s: the step of the whole prediction, of groups at the same time, too") {
  const KernelCosts kernels;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const Plan plan = with_concurrency(random_chain_plan(seed, 1 + static_cast<int>(seed % 4)), 3);
    const Platform platform = default_platform(plan.ranks);
    const PriceList prices(platform, kernels);
    CHECK(predicted_step_s(plan, prices) == predict(plan, prices).step_s);
  }
}

TEST_CASE("predict: where kernels share a workspace, each lane has one") {
  constexpr std::int64_t workspace_bytes = 1 << 20;
  const Plan alone = with_concurrency(deep_chain_plan(), 1);
  const Plan beside = with_concurrency(alone, 3);
  const auto workspaces = [](const Plan& plan) {
    Profile profile = profile_of(plan);
    profile.fingerprint.shared_workspace = true;
    const auto bytes_with = [&](std::int64_t bytes) {
      for (auto& [spec, timing] : profile.kernels) timing.workspace_bytes = bytes;
      return prediction_of(plan, profile).memory.buffers_bytes;
    };
    return bytes_with(workspace_bytes) - bytes_with(0);
  };
  CHECK(workspaces(alone) == workspace_bytes);
  CHECK(workspaces(beside) == 3 * workspace_bytes);
}

TEST_CASE("with_prediction: kernels at the same time are those that were timed alone") {
  const Plan alone = with_concurrency(deep_chain_plan(), 1);
  Profile profile = profile_of(alone);
  for (auto& [spec, timing] : profile.kernels) timing.implementation = to_text(spec);
  const Platform platform = default_platform(1);
  const KernelCosts kernels(profile);
  const PriceList prices(platform, kernels);
  const Plan named = with_prediction(alone, prices);
  CHECK_FALSE(named.implementations.empty());
  CHECK(with_prediction(with_concurrency(alone, 3), prices).implementations ==
        named.implementations);
}

TEST_CASE("predicted_inference_s: the forward pass alone") {
  const Plan plan = resnet_plan("1");
  const Platform platform = default_platform(1);
  const KernelCosts kernels(profile_of(plan));
  const PriceList prices(platform, kernels);
  const Schedule forward = lower(plan, 0, {.pass = Pass::inference});
  double expected_s = 0.0;
  for (const Operation& operation : forward.operations) {
    expected_s += prices(forward, operation).seconds;
  }
  CHECK(predicted_inference_s(plan, prices) == relative(expected_s, 1e-9));
}

TEST_CASE("predicted_inference_s: less than the step, halos included") {
  const Plan plan = resnet_plan("h2");
  Platform platform = default_platform(2);
  const KernelCosts kernels(profile_of(plan));
  const double inference_s = predicted_inference_s(plan, PriceList(platform, kernels));
  CHECK(inference_s < predicted_step_s(plan, PriceList(platform, kernels)));
  for (Level& level : platform.levels) {
    for (Segment& segment : level.segments) segment.alpha_s *= 10.0;
  }
  CHECK(predicted_inference_s(plan, PriceList(platform, kernels)) > inference_s);
}

TEST_CASE("predict: the operations add up to the step") {
  for (const char* mesh : {"1", "n2", "h2", "n2h2"}) {
    CAPTURE(mesh);
    const Plan plan = resnet_plan(mesh);
    const Prediction prediction = prediction_of(plan, profile_of(plan));
    REQUIRE(default_platform(plan.ranks).overlap_efficiency == 0.0);
    CHECK(sum_of_operations(prediction) == relative(prediction.step_s, 1e-9));
  }
}

TEST_CASE("predict: exposed communication is the share of transfers and collectives") {
  const Plan plan = resnet_plan("h2");
  const Prediction prediction = prediction_of(plan, profile_of(plan));
  double communication_s = 0.0;
  for (const PredictedOperation& operation : prediction.operations) {
    const bool communicates = operation.place.part == OperationPart::halo ||
                              operation.place.part == OperationPart::shuffle ||
                              operation.place.part == OperationPart::statistics_allreduce ||
                              operation.place.part == OperationPart::loss_allreduce ||
                              operation.place.part == OperationPart::gradient_reduction;
    if (communicates) communication_s += operation.predicted_s;
  }
  CHECK(communication_s > 0.0);
  CHECK(prediction.exposed_communication_s == relative(communication_s, 1e-9));
}

TEST_CASE("predict: communication is hidden only where plan and platform allow it") {
  const Plan blocking = resnet_plan("h2");
  Plan hiding = blocking;
  hiding.overlap = true;
  const KernelCosts kernels(profile_of(blocking));
  Platform platform = default_platform(2);
  const PriceList prices(platform, kernels);
  const Prediction exposed = predict(blocking, prices);
  CHECK(predict(hiding, prices).step_s == exposed.step_s);
  platform.overlap_efficiency = 1.0;
  CHECK(predict(blocking, prices).step_s == exposed.step_s);
  CHECK(predict(hiding, prices).step_s < exposed.step_s);
  CHECK(predict(hiding, prices).exposed_communication_s < exposed.exposed_communication_s);
}

TEST_CASE("predict: low, likely and high stand in this order") {
  for (const NamedPlan& named : random_plans(40)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Profile& profile : {Profile{}, profile_of(plan)}) {
      const Prediction prediction = prediction_of(plan, profile);
      CHECK(prediction.low_s > 0.0);
      CHECK(prediction.low_s < prediction.step_s);
      CHECK(prediction.step_s < prediction.high_s);
    }
  }
}

TEST_CASE("predict: what is estimated is marked and listed") {
  const Plan plan = resnet_plan("n2");
  Profile profile = profile_of(plan);
  const KernelSpec missing = profile.kernels.begin()->first;
  profile.kernels.erase(missing);
  const Prediction prediction = prediction_of(plan, profile);
  CHECK(prediction.estimated_kernels == std::vector{to_text(missing)});
  CHECK(prediction.estimated_families ==
        std::vector{EstimatedFamily{.family = family_of(missing), .kernels = 1}});
  std::set<std::string> expected;
  for (const Operation& operation : lower(plan, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr && canonical(kernel->spec) == missing) expected.insert(operation.id);
  }
  std::set<std::string> marked;
  for (const PredictedOperation& operation : prediction.operations) {
    if (operation.estimated) marked.insert(operation.id);
  }
  CHECK_FALSE(marked.empty());
  CHECK(marked == expected);
}

TEST_CASE("predict: operations are joined over ranks, each id once") {
  for (const NamedPlan& named : random_plans(10)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    std::set<std::string> ids;
    for (const Schedule& schedule : lower_all(plan)) {
      for (const Operation& operation : schedule.operations) ids.insert(operation.id);
    }
    std::set<std::string> predicted;
    const Prediction prediction = prediction_of(plan, {});
    for (const PredictedOperation& operation : prediction.operations) {
      CHECK(predicted.insert(operation.id).second);
    }
    CHECK(predicted == ids);
    const Schedule first = lower(plan, 0);
    CHECK(std::equal(first.operations.begin(),
                     first.operations.end(),
                     prediction.operations.begin(),
                     [](const Operation& a, const PredictedOperation& b) { return a.id == b.id; }));
  }
}

TEST_CASE("predict: memory is that of the rank that needs most, workspaces included") {
  Plan plan = resnet_plan("h3");
  const Prediction prediction = prediction_of(plan, profile_of(plan));
  std::int64_t most = 0;
  for (const Schedule& schedule : lower_all(plan)) {
    const auto kernels = std::count_if(
        schedule.operations.begin(), schedule.operations.end(), [](const Operation& operation) {
          return std::holds_alternative<KernelOperation>(operation.body);
        });
    most = std::max(most, memory_of(schedule).total_bytes() + 64 * kernels);
  }
  CHECK(prediction.memory.total_bytes() == most);
  CHECK(prediction.memory.available_bytes == default_platform(3).memory_bytes);
}

TEST_CASE("predict: the process counts as the platform says, also where the search asks") {
  const Plan plan = resnet_plan("n2");
  const Profile profile = profile_of(plan);
  const KernelCosts kernels(profile);
  Platform platform = default_platform(plan.ranks);
  const MemoryUse without = predict(plan, PriceList(platform, kernels)).memory;
  CHECK(without.process_bytes == 0);
  platform.process_bytes = 1000;
  const PriceList prices(platform, kernels);
  const MemoryUse with = predict(plan, prices).memory;
  CHECK(with.process_bytes == 1000);
  CHECK(with.total_bytes() == without.total_bytes() + 1000);
  CHECK(work_of(plan, prices).memory.process_bytes == 1000);
}

TEST_CASE("predict: what the search found stays in the plan") {
  Plan plan = resnet_plan("n2");
  plan.prediction.baseline = "n2";
  plan.prediction.baseline_s = 3.0;
  plan.prediction.bound_s = 2.0;
  plan.prediction.candidates = 17;
  const Prediction prediction = prediction_of(plan, {});
  CHECK(prediction.baseline == "n2");
  CHECK(prediction.baseline_s == 3.0);
  CHECK(prediction.bound_s == 2.0);
  CHECK(prediction.candidates == 17);
}

TEST_CASE("with_places: a sum that earlier programs lowered belongs to the layer in its id") {
  const Network network("sums",
                        {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"fc", {"data"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 2, Mesh());
  const auto with_operation = [&plan](const std::string& id) {
    PredictedOperation operation;
    operation.id = id;
    plan.prediction.operations = {operation};
    return with_places(plan, "plan.json").prediction.operations.front().place;
  };
  const OperationPlace place = with_operation("fc/accumulate/1");
  CHECK(place.part == OperationPart::accumulate);
  CHECK(place.layer == "fc");
  const InputProblem problem = problem_of([&] { with_operation("other/accumulate"); });
  CHECK(problem.pointer == "/prediction/operations/0/id");
}

}  // namespace cnnplan::test
