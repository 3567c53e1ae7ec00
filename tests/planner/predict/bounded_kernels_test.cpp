// Tests the bounds of a plan's kernels against the schedules and prices of all ranks.
#include "planner/predict/bounded_kernels.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Returns the time of the device that the kernels of a rank take.
double kernels_s(const Schedule& schedule, const PriceList& prices) {
  double sum_s = 0.0;
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr) continue;
    sum_s += prices(schedule, operation).seconds / kernel->spec.concurrency;
  }
  return sum_s;
}

}  // namespace

TEST_CASE("bounded_kernels: all kernels of a rank that has the most work, by any plan") {
  const Platform platform = default_platform(8);
  const KernelCosts kernels(Profile{}, platform);
  const PriceList prices(platform, kernels);
  std::vector<NamedPlan> plans = random_plans(8);
  for (NamedPlan& plan : chain_plans(2)) plans.push_back(std::move(plan));
  bool any_concurrent = false;
  for (const NamedPlan& named : plans) {
    CAPTURE(named.name);
    double most_s = 0.0;
    for (const Schedule& schedule : lower_all(named.plan)) {
      most_s = std::max(most_s, kernels_s(schedule, prices));
    }
    const Roofline found = bounded_kernels(named.plan, prices, {});
    CHECK(found.kernels_s() == relative(most_s));
    for (const RooflineKernel& kernel : found.kernels) {
      any_concurrent = any_concurrent || kernel.spec.concurrency > 1;
      // Estimates by the same rates add an overhead, and operations of all kinds.
      CHECK(kernel.estimated);
      CHECK(kernel.seconds > kernel.bound.seconds());
    }
  }
  CHECK(any_concurrent);
}

TEST_CASE("bounded_kernels: no estimate is below its bound, on shipped platforms and precisions") {
  bool any_saving = false;
  for (const std::string name : {"dgx-h100", "dgx-h200", "lassen", "tx-gaia"}) {
    const Platform platform = read_platform("configs/platforms/" + name + ".json");
    const KernelCosts kernels(Profile{}, platform);
    const PriceList prices(platform, kernels);
    for (const std::string network : {"googlenet", "resnet50", "unet-3d"}) {
      Plan plan = uniform_plan(read_network("configs/networks/" + network + ".json"), 2, Mesh());
      for (const Precision precision : Enumerators<Precision>::all) {
        CAPTURE(name);
        CAPTURE(network);
        CAPTURE(to_text(precision));
        plan.precision = precision;
        const Roofline found = bounded_kernels(plan, prices, {});
        CHECK(found.kernels.size() > 50);
        const auto is_below = [](const RooflineKernel& kernel) {
          return kernel.seconds < kernel.bound.seconds();
        };
        CHECK(std::ranges::count_if(found.kernels, is_below) == 0);
        any_saving = any_saving || std::ranges::any_of(found.kernels, [](const auto& kernel) {
                       return kernel.bound.saving > 1.0;
                     });
      }
    }
  }
  CHECK(any_saving);
}

TEST_CASE("bounded_kernels: a GPU moves the zeros that it stores with samples in 16 bits") {
  const Platform platform = read_platform("configs/platforms/dgx-h100.json");
  const KernelCosts kernels(Profile{}, platform);
  Plan plan = uniform_plan(read_network("configs/networks/resnet50.json"), 2, Mesh());
  for (const Precision precision : {Precision::bf16, Precision::tf32}) {
    plan.precision = precision;
    const Roofline found = bounded_kernels(plan, PriceList(platform, kernels), {});
    for (const std::string operation : {"conv1/forward", "conv1/backward_filter"}) {
      CAPTURE(operation);
      const auto kernel = std::ranges::find(found.kernels, operation, &RooflineKernel::operation);
      REQUIRE(kernel != found.kernels.end());
      KernelSpec moved = kernel->spec;
      CHECK(moved.in[Dim::c] == 3);
      if (precision == Precision::bf16) moved.in[Dim::c] = 8;
      CHECK(kernel->bound.bytes == bytes(moved));
      CHECK(kernel->bound.flops == flops(kernel->spec));
    }
  }
}

TEST_CASE("bounded_kernels: a profiled time replaces the estimate, and the bound stays") {
  const Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, Mesh());
  Platform platform = default_platform(1);
  platform.kernels = KernelRates{
      .bytes_per_s = 1e9, .precisions = {{.precision = Precision::fp32, .flops_per_s = 1e9}}};
  Profile profile;
  for (const Operation& operation : lower(plan, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr) profile.kernels[canonical(kernel->spec)] = {.median_s = 7.0};
  }
  const KernelCosts kernels(profile, platform);
  const Roofline found = bounded_kernels(plan, PriceList(platform, kernels), profile);
  const auto conv2 =
      std::ranges::find(found.kernels, std::string("conv2/forward"), &RooflineKernel::operation);
  REQUIRE(conv2 != found.kernels.end());
  CHECK(conv2->place.layer == "conv2");
  CHECK(conv2->place.part == OperationPart::forward);
  CHECK(conv2->seconds == 7.0);
  CHECK_FALSE(conv2->estimated);
  CHECK(conv2->bound.kind() == BoundKind::arithmetic);
  CHECK(conv2->bound.seconds() == relative(flops(conv2->spec) / 1e9));
  CHECK(found.kernels_s(BoundKind::memory) + found.kernels_s(BoundKind::arithmetic) ==
        relative(found.kernels_s()));
}

}  // namespace cnnplan::test
