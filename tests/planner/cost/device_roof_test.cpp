// Tests which rates count as the largest ones of a device.
#include "planner/cost/device_roof.hpp"

#include <doctest/doctest.h>

#include "planner/cost/rate_estimate.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

Platform rated_platform() {
  Platform platform = default_platform(1);
  platform.kernels =
      KernelRates{.source = "nominal",
                  .bytes_per_s = 3e12,
                  .precisions = {{.precision = Precision::fp32, .flops_per_s = 7e13},
                                 {.precision = Precision::bf16, .flops_per_s = 1e15}}};
  return platform;
}

// Returns a 1x1 convolution of 2000 operations.
KernelSpec convolution(Precision precision = Precision::fp32, int concurrency = 1) {
  KernelSpec spec;
  spec.in = {.extents = {1, 10, 1, 1, 10}};
  spec.out = {.extents = {1, 10, 1, 1, 10}};
  spec.precision = precision;
  spec.concurrency = concurrency;
  return spec;
}

}  // namespace

TEST_CASE("roof_of: nominal rates of the plan's precision come first") {
  Profile profile;
  profile.kernels[convolution()] = {.median_s = 1.0};
  const DeviceRoof fp32 = roof_of(rated_platform(), profile, Precision::fp32);
  CHECK(fp32.flops_per_s == 7e13);
  CHECK(fp32.bytes_per_s == 3e12);
  CHECK(fp32.source == "nominal");
  CHECK(fp32.device == DeviceKind::gpu);
  CHECK(roof_of(rated_platform(), profile, Precision::bf16).flops_per_s == 1e15);
  CHECK(roof_of(rated_platform(), profile, Precision::tf32).flops_per_s == 7e13);
}

TEST_CASE("roof_of: without them, the fastest profiled convolution and the copies") {
  Platform platform = default_platform(1);
  platform.copy_s_per_byte = 1e-10;
  Profile profile;
  KernelSpec slower = convolution();
  slower.in.extents[4] = slower.out.extents[4] = 20;
  profile.kernels[convolution()] = {.median_s = 1e-6};
  profile.kernels[slower] = {.median_s = 4e-6};
  profile.kernels[convolution(Precision::bf16)] = {.median_s = 1e-9};
  profile.kernels[convolution(Precision::fp32, 2)] = {.median_s = 1e-9};
  const DeviceRoof roof = roof_of(platform, profile, Precision::fp32);
  CHECK(roof.flops_per_s == relative(2e9));
  CHECK(roof.bytes_per_s == relative(2e10));
  CHECK(roof.device == DeviceKind::cpu);
  profile.fingerprint.discrete = true;
  CHECK(roof_of(platform, profile, Precision::fp32).device == DeviceKind::gpu);
}

TEST_CASE("roof_of: the assumed rates where no convolution was profiled") {
  Profile profile;
  profile.kernels[convolution()] = {.median_s = 1e-6};
  const DeviceRoof roof = roof_of(default_platform(1), profile, Precision::fp64);
  CHECK(roof.flops_per_s == DefaultRates{}.flops_per_s / 2);
  CHECK(roof.bytes_per_s == DefaultRates{}.bytes_per_s);
}

}  // namespace cnnplan
