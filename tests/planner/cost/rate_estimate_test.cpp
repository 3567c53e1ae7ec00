// Tests estimates of kernels from a device's rates: efficiency, overhead, halves and bytes.
#include "planner/cost/rate_estimate.hpp"

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

KernelSpec convolution(std::int64_t kernel, std::int64_t stride = 1, std::int64_t dilation = 1) {
  const WindowDim dim{.kernel = kernel, .stride = stride, .dilation = dilation};
  KernelSpec spec;
  spec.in = {.extents = {2, 48, 1, 40, 40}};
  spec.out = {.extents = {2, 16, 1, 10, 20}};
  spec.window.dims = {WindowDim{}, dim, dim};
  return spec;
}

KernelSpec deep(KernelSpec spec) {
  spec.window.dims[0].kernel = 3;
  return spec;
}

ConvolutionRates phase(double overhead_s) {
  return {.overhead_s = overhead_s,
          .efficiency = {.pointwise = 0.5,
                         .three_by_three = 2.0,
                         .strided = 0.25,
                         .other = 0.75,
                         .three_dimensional = 0.125}};
}

// Returns rates of 1 flop per second, with memory that takes no time.
KernelRates rates() {
  const PrecisionRates fp32{.precision = Precision::fp32,
                            .flops_per_s = 1.0,
                            .low_factor = 0.5,
                            .high_factor = 1.5,
                            .forward = phase(100),
                            .backward_data = phase(200),
                            .backward_filter = phase(300)};
  PrecisionRates fp16 = fp32;
  fp16.precision = Precision::fp16;
  fp16.flops_per_s = 8.0;
  fp16.high_factor = 2.5;
  return {.source = "test", .bytes_per_s = 1e30, .overhead_s = 10, .precisions = {fp32, fp16}};
}

double seconds(const KernelSpec& spec) {
  return rate_estimate(rates(), spec).seconds;
}

}  // namespace

TEST_CASE("rate_estimate: the efficiency is that of the window") {
  struct Row {
    KernelSpec spec;
    double efficiency;
  };
  for (const Row& row : std::vector<Row>{{convolution(1), 0.5},
                                         {convolution(3), 2.0},
                                         {convolution(3, 2), 0.25},
                                         {convolution(1, 2), 0.25},
                                         {convolution(3, 1, 2), 0.75},
                                         {convolution(5), 0.75},
                                         {deep(convolution(1)), 0.125},
                                         {deep(convolution(3)), 0.125},
                                         {deep(convolution(3, 2)), 0.125}}) {
    CAPTURE(to_text(row.spec));
    CHECK(seconds(row.spec) == relative(100 + flops(row.spec) / row.efficiency));
  }
}

TEST_CASE("rate_estimate: of three-dimensional windows, the range is a factor of 2 at least") {
  const KernelSpec spec = deep(convolution(3));
  KernelRates device = rates();
  const auto range = [&](double low_factor, double high_factor) {
    device.precisions[0].low_factor = low_factor;
    device.precisions[0].high_factor = high_factor;
    const KernelEstimate found = rate_estimate(device, spec);
    return std::vector<double>{found.low_s / found.seconds, found.high_s / found.seconds};
  };
  CHECK(range(0.75, 1.25)[0] == relative(0.5));
  CHECK(range(0.75, 1.25)[1] == relative(2.0));
  CHECK(range(0.25, 4.0)[0] == relative(0.25));
  CHECK(range(0.25, 4.0)[1] == relative(4.0));
}

TEST_CASE("rate_estimate: overhead, rate and range by phase and precision") {
  KernelSpec spec = convolution(1);
  spec.phase = KernelPhase::backward_data;
  CHECK(seconds(spec) == relative(200 + flops(spec) / 0.5));
  spec.phase = KernelPhase::backward_filter;
  CHECK(seconds(spec) == relative(300 + flops(spec) / 0.5));
  CHECK(rate_estimate(rates(), spec).low_s == relative(seconds(spec) / 2));
  CHECK(rate_estimate(rates(), spec).high_s == relative(seconds(spec) * 1.5));
  const double fp32_s = seconds(spec);
  spec.precision = Precision::fp16;
  CHECK(seconds(spec) == relative(300 + flops(spec) / 4));
  CHECK(rate_estimate(rates(), spec).high_s == relative(seconds(spec) * 2.5));
  spec.precision = Precision::bf16;  // has no rates of its own
  CHECK(seconds(spec) == relative(fp32_s));
  CHECK_THROWS_AS(rate_estimate(KernelRates{}, spec), std::logic_error);
}

TEST_CASE("rate_estimate: few outputs, channels or filters compute slower") {
  struct Row {
    KernelPhase phase;
    double ConvolutionRates::*half;
    double amount;  // that reaches half of the efficiency
    std::int64_t groups;
  };
  const double inputs = 2 * 48 * 40 * 40;
  const double outputs = 2 * 16 * 10 * 20;
  for (const Row& row : std::vector<Row>{
           {KernelPhase::forward, &ConvolutionRates::outputs_half, outputs, 1},
           {KernelPhase::backward_data, &ConvolutionRates::outputs_half, inputs, 1},
           {KernelPhase::backward_filter, &ConvolutionRates::outputs_half, 48 * 16 * 9, 1},
           {KernelPhase::backward_filter, &ConvolutionRates::outputs_half, 6 * 16 * 9, 8},
           {KernelPhase::forward, &ConvolutionRates::channels_half, 48, 1},
           {KernelPhase::forward, &ConvolutionRates::channels_half, 6, 8},
           {KernelPhase::forward, &ConvolutionRates::filters_half, 16, 1},
           {KernelPhase::forward, &ConvolutionRates::filters_half, 2, 8}}) {
    KernelSpec spec = convolution(3);
    spec.phase = row.phase;
    spec.groups = row.groups;
    CAPTURE(to_text(spec));
    KernelRates slow = rates();
    for (auto phase : {&PrecisionRates::forward,
                       &PrecisionRates::backward_data,
                       &PrecisionRates::backward_filter}) {
      (slow.precisions[0].*phase).*row.half = row.amount;
    }
    CHECK(rate_estimate(slow, spec).seconds - seconds(spec) == relative(flops(spec) / 2));
  }
}

TEST_CASE("rate_estimate: bytes count where they take longer, and alone outside convolutions") {
  KernelRates slow = rates();
  slow.bytes_per_s = 1e-3;
  KernelSpec spec = convolution(3);
  CHECK(rate_estimate(slow, spec).seconds == relative(100 + bytes(spec) * 1e3));
  spec.kind = KernelKind::batch_norm;
  CHECK(rate_estimate(slow, spec).seconds == relative(10 + bytes(spec) * 1e3));
  CHECK(rate_estimate(slow, spec).high_s == relative((10 + bytes(spec) * 1e3) * 1.5));
}

}  // namespace cnnplan
