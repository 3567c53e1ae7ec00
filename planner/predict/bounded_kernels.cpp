// Takes the kernels from the priced schedule of one rank.
#include "planner/predict/bounded_kernels.hpp"

#include <algorithm>

#include "planner/cost/convolution_efficiency.hpp"
#include "planner/cost/device_roof.hpp"
#include "planner/predict/predict.hpp"
#include "planner/schedule/stored_samples.hpp"

namespace cnnplan {
namespace {

// Returns the share of the device's time that the kernel takes.
double device_s(const KernelSpec& spec, const Price& price) {
  return price.seconds / spec.concurrency;
}

double kernels_s(const PricedSchedule& priced) {
  double sum_s = 0.0;
  for (const OperationIndex i : priced.prices.indices()) {
    const Operation& operation = priced.schedule.operations[i];
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr) sum_s += device_s(kernel->spec, priced.prices[i]);
  }
  return sum_s;
}

const PricedSchedule& slowest(const std::vector<PricedSchedule>& schedules) {
  return *std::max_element(
      schedules.begin(), schedules.end(), [](const PricedSchedule& a, const PricedSchedule& b) {
        return kernels_s(a) < kernels_s(b);
      });
}

// Rates that were measured include what methods save. The zeros that the device stores with samples
// are bytes, but no operations.
KernelBound least_time(const KernelSpec& spec,
                       const KernelSpec& stored,
                       const DeviceRoof& roof,
                       const Platform& platform) {
  KernelBound bound =
      bound_of(spec, roof, platform.kernels ? saving_of_methods(*platform.kernels, spec) : 1.0);
  const KernelBound moved = bound_of(stored, roof);
  bound.bytes = moved.bytes;
  bound.bytes_s = moved.bytes_s;
  return bound;
}

}  // namespace

Roofline bounded_kernels(const Plan& plan, const PriceList& prices, const Profile& profile) {
  const Platform& platform = prices.platform();
  const PricedPlan priced =
      lower_and_price(plan, RankClasses::of(plan, platform), prices, Detail::priced);
  const PricedSchedule& rank = slowest(priced.schedules);
  Roofline found{.rank = rank.schedule.rank,
                 .step_s = plan.prediction.step_s,
                 .roof = roof_of(platform, profile, plan.precision),
                 .kernels = {}};
  for (const OperationIndex i : rank.prices.indices()) {
    const Operation& operation = rank.schedule.operations[i];
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || volume(kernel->spec.out) == 0) continue;
    const KernelSpec stored = stored_spec(rank.schedule, *kernel, rank.device);
    found.kernels.push_back({.operation = operation.id,
                             .place = place_of(operation.label, plan.network),
                             .spec = kernel->spec,
                             .bound = least_time(kernel->spec, stored, found.roof, platform),
                             .seconds = device_s(kernel->spec, rank.prices[i]),
                             .estimated = rank.prices[i].estimated});
  }
  return found;
}

}  // namespace cnnplan
