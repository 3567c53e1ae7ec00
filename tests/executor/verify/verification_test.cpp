// Tests what a verification changes in a plan, and how a tensor is compared.
#include "executor/verify/verification.hpp"

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "executor/verify/blunt_tensor.hpp"
#include "executor/verify/one_rank_work.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("verify: says what it changes in a plan") {
  const Communicator world = Communicator::world();
  const Network network("norm",
                        {{"input", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"bn", {"input"}, BatchNorm{}},
                         {"fc", {"bn"}, FullyConnected{.outputs = 2}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, world.size(), Mesh({{Axis::n, world.size()}}));
  int notes = 0;
  const auto count = [&](const std::string&) { ++notes; };
  CHECK(verified_plan(plan, count).layers[LayerIndex(1)].statistics == BatchNormStatistics::global);
  CHECK(notes == (world.size() > 1 ? 1 : 0));
  plan.layers[LayerIndex(1)].statistics = BatchNormStatistics::global;
  notes = 0;
  CHECK(verified_plan(plan, count) == plan);
  CHECK(notes == 0);
}

TEST_CASE("compare_tensor: one wrong element in many exceeds its limit") {
  constexpr std::size_t count = 10000;
  TensorRuns runs{.computed = std::vector<double>(count, 1.0),
                  .exact = std::vector<double>(count, 1.0),
                  .rounded = {std::vector<double>(count, 1.0 + 1e-6)}};
  CHECK(compare_tensor("t", runs, ElementType::fp32).excess() == 0.0);
  const double limit = element_limits(runs, ElementType::fp32)[7];
  CHECK(limit < 2e-5);
  runs.computed[7] += 3.0 * limit;
  const TensorComparison found = compare_tensor("t", runs, ElementType::fp32);
  CHECK(found.element == 7);
  CHECK(found.excess() == doctest::Approx(3.0));
}

TEST_CASE("compare_tensor: an element near a switch does not widen the limits of others") {
  constexpr std::size_t count = 1000;
  TensorRuns runs{.computed = std::vector<double>(count, 1.0),
                  .exact = std::vector<double>(count, 1.0),
                  .rounded = {std::vector<double>(count, 1.0 + 1e-6)}};
  runs.rounded[0][3] = 2.0;
  const std::vector<double> limits = element_limits(runs, ElementType::fp32);
  CHECK(limits[3] > 1.0);
  CHECK(limits[4] < 2e-5);
}

TEST_CASE("compare_tensor: a value that is not a number exceeds every limit") {
  TensorRuns runs{.computed = {1.0, nan}, .exact = {1.0, 2.0}, .rounded = {{1.0, 2.1}}};
  const TensorComparison found = compare_tensor("t", runs, ElementType::fp32);
  CHECK(found.excess() == infinity);
  CHECK(Verification{.tensors = {found}}.verdict() == Verdict::different);
}

TEST_CASE("compare_tensor: values that are not finite in both runs are no difference") {
  for (const double value : {nan, infinity, -infinity}) {
    const TensorRuns runs{
        .computed = {1.0, value}, .exact = {1.0, value}, .rounded = {{1.0, value}}};
    Verification found{.tensors = {compare_tensor("t", runs, ElementType::fp32)}};
    CHECK(found.tensors[0].excess() == 0.0);
    CHECK(found.infinite_tensor() == "t");
    CHECK(found.verdict() == Verdict::too_sensitive);
    found.kernels.worst.excess = infinity;  // of a right kernel whose inputs are not finite
    CHECK(found.verdict() == Verdict::too_sensitive);
  }
}

TEST_CASE("compare_tensor: a wrong element is found next to one that is not finite") {
  TensorRuns runs{.computed = {1.0, nan}, .exact = {1.0, nan}, .rounded = {{1.0, nan}}};
  runs.computed[0] = 1.1;
  const TensorComparison found = compare_tensor("t", runs, ElementType::fp32);
  CHECK(Verification{.tensors = {found}}.verdict() == Verdict::different);
}

TEST_CASE("blunt_tensor: nothing is known where one rounded run is not finite") {
  for (const double value : {nan, infinity}) {
    const TensorRuns runs{
        .computed = {1.0, 2.0}, .exact = {1.0, 2.0}, .rounded = {{1.0, value}, {1.0, 2.0}}};
    const TensorComparison found = compare_tensor("t", runs, ElementType::fp32);
    CHECK(blunt_tensor({{"t", {2}, DumpedTensor::Kind::gradient}}, {found}, Precision::fp32) ==
          "t");
  }
}

// With 10000 channels, the norm of the deviations is 200, and the root of the variances' is 20.
TEST_CASE("blunt_tensor: the roundings of means are compared with all deviations") {
  constexpr std::size_t channels = 10000;
  const auto compared = [](double exact, double change) {
    return compare_tensor("t",
                          {.computed = std::vector<double>(channels, exact),
                           .exact = std::vector<double>(channels, exact),
                           .rounded = {std::vector<double>(channels, exact + change)}},
                          ElementType::fp32);
  };
  const std::vector<DumpedTensor> tensors{
      {"/bn/mean", {channels}, DumpedTensor::Kind::running_mean},
      {"/bn/variance", {channels}, DumpedTensor::Kind::running_variance}};
  const TensorComparison variance = compared(4.0, 0.0);
  CHECK(blunt_tensor(tensors, {compared(0.0, 0.9), variance}, Precision::fp32).empty());
  CHECK(blunt_tensor(tensors, {compared(0.0, 1.1), variance}, Precision::fp32) == "t");
}

TEST_CASE("verify: a kernel's excess that is not a number is a difference") {
  CHECK(Verification{.kernels = {.worst = {.excess = nan}}}.verdict() == Verdict::different);
  CHECK(Verification{.kernels = {.worst = {.excess = infinity}}}.verdict() == Verdict::different);
}

TEST_CASE("verify: verdicts follow from the worst tensor") {
  const auto verdict = [](double error, const std::string& blunt) {
    return Verification{.tensors = {{.error = error, .limit = 1.0}}, .blunt = blunt}.verdict();
  };
  CHECK(verdict(0.9, "") == Verdict::equal);
  CHECK(verdict(1.1, "") == Verdict::too_sensitive);
  CHECK(verdict(9.9, "") == Verdict::too_sensitive);
  CHECK(verdict(10.1, "") == Verdict::different);
  CHECK(verdict(0.9, "/fc/weight_gradient") == Verdict::too_sensitive);
  CHECK(verdict(10.1, "/fc/weight_gradient") == Verdict::different);
}

TEST_CASE("verify: counts the work of one rank for the whole mini-batch") {
  const Network network("two",
                        {{"in", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                         {"c1", {"in"}, Convolution{.filters = 3}},
                         {"c2", {"c1"}, Convolution{.filters = 6, .groups = 3}},
                         {"g", {"c2"}, GlobalPooling{}},
                         {"f", {"g"}, FullyConnected{.outputs = 2}},
                         {"loss", {"f"}, SoftmaxCrossEntropy{}}});
  const Plan plan = uniform_plan(network, 6, Mesh({{Axis::n, 3}}));
  // The first layer has no error signal to send back.
  const double usual = 6.0 * 16.0 * 2.0 * 2.0 * 3.0 + 6.0 * 3.0 * 6.0 * 2.0;
  CHECK(convolution_work(plan).usual_flops == doctest::Approx(2.0 * usual));
  CHECK(convolution_work(plan).depthwise_flops == doctest::Approx(2.0 * 6.0 * 16.0 * 3.0 * 6.0));
  CHECK(work_of_one_rank(plan).starts_with("one rank computes 0.0 Gflop of convolutions"));
}

}  // namespace cnnplan::test
