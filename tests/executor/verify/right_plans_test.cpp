// Tests that random right plans are verified as equal.
#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "executor/verify/verification.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/environment.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

// Parts of right plans that rounding may hide.
constexpr double most_too_sensitive = 0.02;
constexpr double most_in_16_bits = 0.1;

Plan plan_of(std::uint64_t seed, int ranks, Precision precision) {
  Plan plan = seed % 3 == 0   ? random_plan(seed, ranks)
              : seed % 3 == 1 ? random_channel_plan(seed, ranks)
                              : random_row_plan(seed, ranks);
  plan.precision = precision;
  return plan;
}

bool is_refused(const Plan& plan, const std::string& backend, const Communicator& world) {
  const bool here = refused_kernel(plan, backend, world.rank()).has_value();
  return world.maximum(here ? 1.0 : 0.0) > 0.0;
}

void check_right_plans(Precision precision, const std::string& backend, int cases) {
  const Communicator world = Communicator::world();
  const int first = environment_number("CNNPLAN_FIRST_CASE", 5000 * world.size());
  std::map<Verdict, int> counts;
  int checked = 0;
  for (int i = 0; checked < cases && i < 2 * cases; ++i) {
    const std::uint64_t seed = first + i;
    const Plan plan = plan_of(seed, world.size(), precision);
    if (is_refused(plan, backend, world)) continue;
    ++checked;
    const Verification found = verify(plan, {.backend = backend, .seed = seed}, world, {});
    if (world.rank() > 0) continue;
    REQUIRE(!found.tensors.empty());
    const TensorComparison& worst = found.tensors.front();
    ++counts[found.verdict()];
    if (found.verdict() == Verdict::equal && environment_number("CNNPLAN_TELL", 0) == 0) continue;
    MESSAGE("case " << seed << ": " << worst.name << " " << worst.excess() << " error "
                    << worst.error << " limit " << worst.limit << " norm " << worst.norm_error
                    << " / " << worst.norm_limit << " of " << worst.norm << " blunt " << found.blunt
                    << "; kernel " << found.kernels.worst.operation << " "
                    << found.kernels.worst.excess << " error " << found.kernels.worst.error);
    CHECK_MESSAGE(found.verdict() != Verdict::different, to_json(plan));
  }
  if (world.rank() > 0) return;
  MESSAGE(to_text(precision) << ": " << counts[Verdict::equal] << " equal, "
                             << counts[Verdict::too_sensitive] << " too sensitive, "
                             << counts[Verdict::different] << " different");
  CHECK(counts[Verdict::different] == 0);
  const double most = precision == Precision::bf16 ? most_in_16_bits : most_too_sensitive;
  CHECK(counts[Verdict::too_sensitive] <= std::max(1.0, most * cases));
}

}  // namespace

TEST_CASE("verify: right plans are equal in fp32") {
  check_right_plans(
      Precision::fp32, tested_backend("onednn"), environment_number("CNNPLAN_CASES", 4));
}

TEST_CASE("verify: right plans are equal in fp64") {
  check_right_plans(
      Precision::fp64, tested_backend("reference"), environment_number("CNNPLAN_CASES", 4));
}

TEST_CASE("verify: right plans are not different in 16 bits") {
  check_right_plans(
      Precision::bf16, tested_backend("reference"), environment_number("CNNPLAN_CASES", 2));
}

// Its biases sum error signals that are equal at all positions of a sample.
TEST_CASE("verify: sums of many equal numbers are no false alarm") {
  const Communicator world = Communicator::world();
  Convolution convolution{.filters = 8, .bias = true};
  for (const std::size_t dim : {1, 2}) {
    convolution.window.dims[dim] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  const Network network("sums",
                        {{"in", {}, Input{.channels = 3, .size = {1, 48, 48}}},
                         {"c1", {"in"}, convolution},
                         {"r1", {"c1"}, Relu{}},
                         {"c2", {"r1"}, convolution},
                         {"g", {"c2"}, GlobalPooling{}},
                         {"f", {"g"}, FullyConnected{.outputs = 10}},
                         {"loss", {"f"}, SoftmaxCrossEntropy{}}});
  const Plan plan = uniform_plan(network, 6, Mesh({{Axis::n, world.size()}}));
  const Verification found = verify(plan, {.backend = tested_backend("onednn")}, world, {});
  if (world.rank() == 0) CHECK(found.verdict() == Verdict::equal);
}

// A batch norm over the samples of each rank differs from one rank, but its kernels are right.
TEST_CASE("verify: kernels are checked in a plan that is compared in another form") {
  const Communicator world = Communicator::world();
  const Network network("norm",
                        {{"in", {}, Input{.channels = 3, .size = {1, 6, 6}}},
                         {"bn", {"in"}, BatchNorm{}},
                         {"f", {"bn"}, FullyConnected{.outputs = 4}},
                         {"loss", {"f"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 6, Mesh({{Axis::n, world.size()}}));
  plan.layers[LayerIndex(1)].statistics = BatchNormStatistics::local;
  const Verification found = verify(plan, {.backend = tested_backend("onednn")}, world, {});
  if (world.rank() > 0) return;
  CHECK(found.verdict() == Verdict::equal);
  CHECK(found.kernels.checked == found.kernels.results);
  CHECK(found.kernels.results > 0.0);
}

}  // namespace cnnplan::test
