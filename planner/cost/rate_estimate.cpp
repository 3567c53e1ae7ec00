// Adds the overhead to the time of the operations or of the bytes, whichever is longer.
#include "planner/cost/rate_estimate.hpp"

#include <algorithm>

#include "planner/cost/convolution_efficiency.hpp"

namespace cnnplan {
namespace {

double elements_written(const KernelSpec& spec) {
  if (spec.phase == KernelPhase::backward_filter) return static_cast<double>(weight_volume(spec));
  return static_cast<double>(volume(spec.phase == KernelPhase::backward_data ? spec.in : spec.out));
}

// Returns the fraction of the efficiency that `amount` reaches.
double saturation(double amount, double half) {
  return amount / (amount + half);
}

RateParts convolution_parts(const KernelRates& rates, const KernelSpec& spec) {
  const PrecisionRates& precision = rates_of(rates, spec.precision);
  const ConvolutionRates& phase = rates_of(precision, spec.phase);
  const auto groups = static_cast<double>(spec.groups);
  const double efficiency =
      efficiency_of(phase, spec.window) * saturation(elements_written(spec), phase.outputs_half) *
      saturation(static_cast<double>(spec.in[Dim::c]) / groups, phase.channels_half) *
      saturation(static_cast<double>(spec.out[Dim::c]) / groups, phase.filters_half);
  return {.overhead_s = phase.overhead_s,
          .flops = flops(spec),
          .flops_per_s = precision.flops_per_s * efficiency,
          .bytes = bytes(spec),
          .bytes_per_s = rates.bytes_per_s};
}

}  // namespace

double RateParts::seconds() const {
  return overhead_s + std::max(flops_s(), bytes_s());
}

RateParts rate_parts(const KernelRates& rates, const KernelSpec& spec) {
  if (spec.kind == KernelKind::convolution) return convolution_parts(rates, spec);
  return {.overhead_s = rates.overhead_s, .bytes = bytes(spec), .bytes_per_s = rates.bytes_per_s};
}

RateParts rate_parts(const DefaultRates& rates, const KernelSpec& spec) {
  const double slowdown = spec.precision == Precision::fp64 ? 2.0 : 1.0;
  return {.overhead_s = rates.overhead_s,
          .flops = flops(spec),
          .flops_per_s = rates.flops_per_s / slowdown,
          .bytes = bytes(spec),
          .bytes_per_s = rates.bytes_per_s};
}

KernelEstimate rate_estimate(const KernelRates& rates, const KernelSpec& spec) {
  const double seconds = rate_parts(rates, spec).seconds();
  const PrecisionRates& precision = rates_of(rates, spec.precision);
  const bool is_volume = spec.kind == KernelKind::convolution && is_three_dimensional(spec.window);
  const double spread = is_volume ? least_volume_spread : 1.0;
  return {.seconds = seconds,
          .low_s = seconds * std::min(precision.low_factor, 1.0 / spread),
          .high_s = seconds * std::max(precision.high_factor, spread)};
}

KernelEstimate rate_estimate(const DefaultRates& rates, const KernelSpec& spec) {
  const double seconds = rate_parts(rates, spec).seconds();
  return {.seconds = seconds,
          .low_s = seconds / rates.uncertainty,
          .high_s = seconds * rates.uncertainty};
}

}  // namespace cnnplan
