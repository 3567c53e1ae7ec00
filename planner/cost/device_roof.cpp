// Prefers nominal rates to measured ones, and measured ones to assumed ones.
#include "planner/cost/device_roof.hpp"

#include <algorithm>

#include "planner/cost/rate_estimate.hpp"
#include "planner/platform/same_device.hpp"

namespace cnnplan {
namespace {

// Returns 0 if no convolution of this precision was profiled alone.
double fastest_convolution(const Profile& profile, Precision precision) {
  double fastest = 0.0;
  for (const auto& [spec, timing] : profile.kernels) {
    const bool counts = spec.kind == KernelKind::convolution && spec.precision == precision &&
                        spec.concurrency == 1 && timing.median_s > 0.0;
    if (counts) fastest = std::max(fastest, flops(spec) / timing.median_s);
  }
  return fastest;
}

DeviceRoof assumed_roof(DeviceKind device, Precision precision) {
  KernelSpec spec;
  spec.precision = precision;
  const RateParts parts = rate_parts(DefaultRates{}, spec);
  return {.flops_per_s = parts.flops_per_s,
          .bytes_per_s = parts.bytes_per_s,
          .device = device,
          .source = "assumed, as no file says them"};
}

}  // namespace

DeviceRoof roof_of(const Platform& platform, const Profile& profile, Precision precision) {
  const DeviceKind device = device_kind_of(platform, profile);
  if (platform.kernels) {
    return {.flops_per_s = rates_of(*platform.kernels, precision).flops_per_s,
            .bytes_per_s = platform.kernels->bytes_per_s,
            .device = device,
            .source = platform.kernels->source};
  }
  const double flops_per_s = fastest_convolution(profile, precision);
  if (flops_per_s == 0.0) return assumed_roof(device, precision);
  constexpr double moves_per_copy = 2.0;  // a copied byte is read and written
  const double copy_s = platform.copy_s_per_byte;
  return {.flops_per_s = flops_per_s,
          .bytes_per_s = copy_s > 0.0 ? moves_per_copy / copy_s : 0.0,
          .device = device,
          .source = "the fastest profiled convolution, and copies of the platform"};
}

}  // namespace cnnplan
