// Tests that no fault in a kernel of a rank is verified as equal.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/verify/verification.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/schedule.hpp"
#include "tests/executor/environment.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/executor/verify/faulty_backend.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

// Half of the faults are small in extent.
constexpr FaultExtent extents[] = {
    FaultExtent::element, FaultExtent::row, FaultExtent::element, FaultExtent::all};

// Counts the kernels of a rank. The same number means different kernels on different ranks.
std::int64_t kernel_count(const Plan& plan, int rank) {
  std::int64_t count = 0;
  for (const Operation& operation : lower(plan, rank).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    count += kernel != nullptr && kernel->spec.kind != KernelKind::sgd ? 1 : 0;
  }
  return count;
}

class FaultyRun {
 public:
  FaultyRun(std::uint64_t seed, const std::string& backend, const Communicator& world)
      : seed_(seed), backend_(backend), world_(world), plan_(random_plan(seed, world.size())) {}

  bool is_refused() const {
    const bool here = refused_kernel(plan_, backend_, world_.rank()).has_value();
    return world_.maximum(here ? 1.0 : 0.0) > 0.0;
  }
  const Plan& plan() const { return plan_; }

  // Returns the verification of a step with a fault of this size on one rank. Is collective.
  Verification verify_with(double size) const {
    const int rank = static_cast<int>(seed_ % static_cast<std::uint64_t>(world_.size()));
    const auto kernels = static_cast<std::uint64_t>(kernel_count(plan_, rank));
    const Fault fault{.kernel = seed_ * 7919 % kernels,
                      .place = seed_ * 104729,
                      .extent = extents[seed_ / 3 % std::size(extents)],
                      .size = world_.rank() == rank ? size : 0.0};
    TrainingOptions options{.backend = backend_, .seed = seed_};
    options.hooks.backend = [fault](std::unique_ptr<Backend> made) {
      return std::make_unique<FaultyBackend>(std::move(made), fault);
    };
    return verify(plan_, options, world_, {});
  }

 private:
  std::uint64_t seed_;
  std::string backend_;
  const Communicator& world_;
  Plan plan_;
};

// Returns the excess that the tensors alone show, the same on all ranks.
double tensor_excess(const Verification& found, const Communicator& world) {
  return world.maximum(found.tensors.empty() ? 0.0 : found.tensors.front().excess());
}

// Finds the size of a fault whose excess is about `wanted`; none where the fault has no effect that
// grows with its size.
std::optional<double> size_for(double wanted, const FaultyRun& run, const Communicator& world) {
  double size = 1e-3;
  for (int trial = 0; trial < 4; ++trial) {
    const double excess = tensor_excess(run.verify_with(size), world);
    if (excess > 2.0 && excess < 10.0) return size;
    if (excess == 0.0 || !(excess < 1e15)) return std::nullopt;
    size *= excess > 1.0 ? wanted / excess : 30.0;
  }
  return std::nullopt;
}

Plan linear_plan(int ranks) {
  const Network network("linear",
                        {{"in", {}, Input{.channels = 3, .size = {1, 4, 4}}},
                         {"f", {"in"}, FullyConnected{.outputs = 4}},
                         {"loss", {"f"}, SoftmaxCrossEntropy{}}});
  return uniform_plan(network, 6, Mesh({{Axis::n, ranks}}));
}

// Returns the place of the first gradient of a filter in the order of the rank's kernels.
std::size_t first_filter_gradient(const Plan& plan, int rank) {
  std::size_t count = 0;
  for (const Operation& operation : lower(plan, rank).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    if (kernel->spec.phase == KernelPhase::backward_filter) return count;
    ++count;
  }
  return count;
}

}  // namespace

// Every gradient updates a weight, and the step refuses weights that are not finite.
TEST_CASE("verify: a gradient that is not a number ends the verification with its name") {
  const Communicator world = Communicator::world();
  const Plan plan = linear_plan(world.size());
  const Fault fault{.kernel = first_filter_gradient(plan, world.rank()),
                    .size = std::numeric_limits<double>::quiet_NaN()};
  TrainingOptions options{.backend = "reference"};
  options.hooks.backend = [fault](std::unique_ptr<Backend> made) {
    return std::make_unique<FaultyBackend>(std::move(made), fault);
  };
  CHECK_THROWS_WITH_AS(
      verify(plan, options, world, {}), "/f/weight is not finite after 1 steps", NotFiniteError);
}

// A race of overlapping kernels, for example, does not show while checks wait for each kernel.
TEST_CASE("verify: a fault that only shows without checks is different") {
  const Communicator world = Communicator::world();
  const Plan plan = linear_plan(world.size());
  const Fault fault{.kernel = first_filter_gradient(plan, world.rank()), .size = 1e3};
  TrainingOptions options{.backend = "reference"};
  int runs = 0;
  options.hooks.backend = [&](std::unique_ptr<Backend> made) {
    if (runs++ == 0) return made;
    return std::unique_ptr<Backend>(std::make_unique<FaultyBackend>(std::move(made), fault));
  };
  const Verification found = verify(plan, options, world, {});
  CHECK(found.kernels.worst.excess < 1.0);
  if (world.rank() == 0) CHECK(found.verdict() == Verdict::different);
}

TEST_CASE("verify: a fault in a kernel of one rank is never equal") {
  const Communicator world = Communicator::world();
  const std::string backend = tested_backend("onednn");
  const int wanted = environment_number("CNNPLAN_FAULTS", 2);
  const int first = environment_number("CNNPLAN_FIRST_CASE", 9000 * world.size());
  std::map<Verdict, int> counts;
  int faults = 0;
  int certain = 0;
  for (int i = 0; faults < wanted && i < 5 * wanted; ++i) {
    const std::uint64_t seed = first + i;
    const FaultyRun run(seed, backend, world);
    if (run.is_refused()) continue;
    const std::optional<double> size = size_for(2.5 + i % 7, run, world);
    if (!size) continue;
    ++faults;
    const Verdict small = run.verify_with(*size).verdict();
    const Verification larger = run.verify_with(20.0 * *size);
    const bool is_certain = tensor_excess(larger, world) > certain_excess;
    if (world.rank() > 0) continue;
    ++counts[small];
    certain += is_certain ? 1 : 0;
    INFO("case " << seed << ", size " << *size << to_json(run.plan()));
    CHECK(small != Verdict::equal);
    if (is_certain) CHECK(larger.verdict() == Verdict::different);
    CHECK(larger.verdict() != Verdict::equal);
  }
  CHECK(faults == wanted);
  if (world.rank() > 0) return;
  MESSAGE(faults << " faults of 2 to 10 limits: " << counts[Verdict::different] << " different, "
                 << counts[Verdict::too_sensitive] << " too sensitive, " << counts[Verdict::equal]
                 << " equal; " << certain << " of " << faults << " larger ones certain");
}

}  // namespace cnnplan::test
