// Tests the time of a kernel: profiled times, estimates from neighbours and rates, and their marks.
#include "planner/cost/kernels.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

KernelSpec convolution(std::int64_t rows) {
  KernelSpec spec;
  spec.in = {.extents = {1, 64, 1, rows + 1, 32}};
  spec.out = {.extents = {1, 64, 1, rows, 32}};
  spec.window.dims = {WindowDim{},
                      WindowDim{.kernel = 3, .padding_end = 1},
                      WindowDim{.kernel = 3, .padding_begin = 1, .padding_end = 1}};
  return spec;
}

KernelTiming timing(double median_s) {
  return {.repetitions = 10,
          .median_s = median_s,
          .mean_s = median_s * 1.1,
          .stddev_s = median_s * 0.2,
          .min_s = median_s * 0.9,
          .workspace_bytes = 123,
          .implementation = "test"};
}

Profile small_profile() {
  Profile profile;
  profile.kernels[convolution(8)] = timing(1.0);
  profile.kernels[convolution(16)] = timing(2.0);
  return profile;
}

}  // namespace

TEST_CASE("KernelCosts: a profiled kernel is looked up") {
  const KernelTime time = KernelCosts(small_profile()).lookup(convolution(8));
  CHECK(time.seconds == 1.0);
  CHECK(time.low_s == relative(0.9));
  CHECK(time.high_s == relative(1.3));
  CHECK_FALSE(time.estimated);
  CHECK(time.workspace_bytes == 123);
}

TEST_CASE("KernelCosts: the last rank's block costs as much as the first one's") {
  KernelSpec last = convolution(8);
  std::swap(last.window.dims[1].padding_begin, last.window.dims[1].padding_end);
  REQUIRE(last != convolution(8));
  const KernelTime time = KernelCosts(small_profile()).lookup(last);
  CHECK_FALSE(time.estimated);
  CHECK(time.seconds == 1.0);
}

TEST_CASE("KernelCosts: what was not profiled is estimated and marked") {
  const KernelTime time = KernelCosts(small_profile()).lookup(convolution(12));
  CHECK(time.estimated);
  CHECK(time.seconds > 1.0);
  CHECK(time.seconds < 2.0);
  CHECK(time.low_s <= time.seconds);
  CHECK(time.high_s >= time.seconds);
}

TEST_CASE("KernelCosts: kernels that were not profiled at the same time take turns") {
  Profile profile = small_profile();
  KernelSpec beside = convolution(8);
  beside.concurrency = 4;
  const KernelTime time = KernelCosts(profile).lookup(beside);
  CHECK(time.estimated);
  CHECK(time.seconds == 4.0);
  CHECK(time.low_s == relative(0.9));
  CHECK(time.high_s == relative(4 * 1.3));
  CHECK(KernelCosts(profile).concurrencies() == std::set{1});
  CHECK(KernelCosts(profile).implementation(beside) == "test");
  profile.kernels[beside] = timing(1.5);
  profile.kernels[beside].implementation = "other";
  const KernelCosts costs(profile);
  CHECK(costs.implementation(beside) == "test");
  CHECK(costs.lookup(beside).seconds == 1.5);
  CHECK_FALSE(costs.lookup(beside).estimated);
  CHECK(costs.concurrencies() == std::set{1, 4});
  // Kernels at the same time do not change the estimates of kernels alone.
  CHECK(costs.lookup(convolution(12)).seconds ==
        KernelCosts(small_profile()).lookup(convolution(12)).seconds);
}

TEST_CASE("KernelCosts: phase, algorithm and precision are not mixed") {
  const KernelCosts costs(small_profile());
  const KernelCosts nothing;
  KernelSpec phase = convolution(8);
  phase.phase = KernelPhase::backward_filter;
  KernelSpec algorithm = convolution(8);
  algorithm.algorithm = KernelAlgorithm::winograd;
  KernelSpec precision = convolution(8);
  precision.precision = Precision::fp64;
  for (const KernelSpec& spec : {phase, algorithm, precision}) {
    CHECK(costs.lookup(spec).estimated);
    CHECK(costs.lookup(spec).seconds == nothing.lookup(spec).seconds);
  }
}

TEST_CASE("KernelCosts: without a profile the documented rates count") {
  const DefaultRates rates{
      .flops_per_s = 1e9, .bytes_per_s = 1e12, .overhead_s = 0.5, .uncertainty = 2.0};
  const KernelSpec spec = convolution(8);
  const KernelTime time = KernelCosts({}, rates).lookup(spec);
  CHECK(time.seconds == relative(0.5 + flops(spec) / 1e9));
  CHECK(time.low_s == relative(time.seconds / 2));
  CHECK(time.high_s == relative(time.seconds * 2));
  CHECK(time.estimated);
  KernelSpec add = spec;
  add.kind = KernelKind::add;
  const DefaultRates slow_memory{.flops_per_s = 1e12, .bytes_per_s = 1e6, .overhead_s = 0.0};
  CHECK(KernelCosts({}, slow_memory).lookup(add).seconds == relative(bytes(add) / 1e6));
}

TEST_CASE(
    "KernelCosts: 16 bits are estimated to save bytes, not operations; double halves the rate") {
  const DefaultRates busy{.flops_per_s = 1e6, .bytes_per_s = 1e12, .overhead_s = 0.0};
  const DefaultRates slow_memory{.flops_per_s = 1e12, .bytes_per_s = 1e6, .overhead_s = 0.0};
  KernelSpec spec = convolution(8);
  const double flops_s = KernelCosts({}, busy).lookup(spec).seconds;
  for (Precision precision : {Precision::tf32, Precision::bf16, Precision::fp16}) {
    spec.precision = precision;
    CHECK(KernelCosts({}, busy).lookup(spec).seconds == flops_s);
    CHECK(KernelCosts({}, slow_memory).lookup(spec).seconds == relative(bytes(spec) / 1e6));
  }
  spec.precision = Precision::fp64;
  CHECK(KernelCosts({}, busy).lookup(spec).seconds == relative(2 * flops_s));
}

TEST_CASE("KernelCosts: what was not profiled follows the rates of the platform's device") {
  PrecisionRates fp32{.flops_per_s = 1e9, .low_factor = 0.5, .high_factor = 3.0};
  Platform platform = default_platform(1);
  KernelSpec filter = convolution(8);
  filter.phase = KernelPhase::backward_filter;
  const double as_core_s = KernelCosts().lookup(filter).seconds;
  CHECK(KernelCosts(small_profile(), platform).lookup(filter).seconds == as_core_s);
  platform.kernels = KernelRates{.bytes_per_s = 1e12, .precisions = {fp32}};
  const KernelCosts costs(small_profile(), platform);
  const KernelTime time = costs.lookup(filter);
  CHECK(time.seconds == relative(flops(filter) / 1e9));
  CHECK(time.low_s == relative(time.seconds / 2));
  CHECK(time.high_s == relative(time.seconds * 3));
  CHECK(time.estimated);
  CHECK(costs.lookup(convolution(8)).seconds == 1.0);  // profiled
}

TEST_CASE("KernelCosts: timed kernels correct the rates") {
  Platform platform = default_platform(1);
  PrecisionRates fp32{.flops_per_s = 1e30};
  fp32.forward.overhead_s = 0.5;  // all of the time
  platform.kernels = KernelRates{.bytes_per_s = 1e30, .precisions = {fp32}};
  Profile profile;
  profile.kernels[convolution(8)] = timing(1.0);
  profile.kernels[convolution(16)] = timing(1.0);
  CHECK(KernelCosts(profile, platform).lookup(convolution(2)).seconds == relative(1.0));
  CHECK(KernelCosts(profile).lookup(convolution(2)).seconds < 0.5);
}

TEST_CASE("KernelCosts: an empty block takes no time and is no estimate") {
  KernelSpec empty = convolution(8);
  empty.out[Dim::h] = 0;
  for (const KernelCosts& costs : {KernelCosts(), KernelCosts(small_profile())}) {
    const KernelTime time = costs.lookup(empty);
    CHECK(time.seconds == 0.0);
    CHECK(time.high_s == 0.0);
    CHECK_FALSE(time.estimated);
  }
}

TEST_CASE("KernelCosts: every profiled kernel is found among thousands") {
  Profile profile;
  for (std::int64_t rows = 1; rows <= 50; ++rows) {
    for (std::int64_t channels = 1; channels <= 40; ++channels) {
      KernelSpec spec = convolution(rows);
      spec.in[Dim::c] = channels;
      profile.kernels[spec] = timing(static_cast<double>(rows * 1000 + channels));
    }
  }
  const KernelCosts costs(profile);
  CHECK(std::all_of(profile.kernels.begin(), profile.kernels.end(), [&](const auto& kernel) {
    return costs.lookup(kernel.first).seconds == kernel.second.median_s;
  }));
}

}  // namespace cnnplan
