// Estimates the time of a kernel from the rates of its device alone.
#pragma once

#include "planner/cost/kernel_estimate.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_rates.hpp"

namespace cnnplan {

// Holds the terms of the time overhead + max(flops / rate, bytes / rate).
struct RateParts {
  double overhead_s = 0.0;
  double flops = 0.0;
  double flops_per_s = 1.0;  // the rate that this kernel reaches
  double bytes = 0.0;
  double bytes_per_s = 1.0;
  double flops_s() const { return flops / flops_per_s; }
  double bytes_s() const { return bytes / bytes_per_s; }
  double seconds() const;
};

// An estimate for a window that is deeper than one has a range of at least this factor to both
// sides, because rates of such windows rest on a single published time.
inline constexpr double least_volume_spread = 2.0;

// A convolution takes overhead + max(flops / (flops_per_s * e), bytes / bytes_per_s), where
// e = efficiency * o/(o + outputs_half) * c/(c + channels_half) * f/(f + filters_half).
// It writes o elements, and has c channels and f filters per group. It uses the rates of its
// phase and precision. Other kernels take overhead + bytes / bytes_per_s. The range is the time
// multiplied by low_factor and high_factor of the precision. `scripts/fit-kernel-rates` fits these
// formulas.
// @pre `rates` has fp32
KernelEstimate rate_estimate(const KernelRates& rates, const KernelSpec& spec);
// Returns the terms of rate_estimate(rates, spec).
RateParts rate_parts(const KernelRates& rates, const KernelSpec& spec);

// Holds the rates of an unknown device, which is assumed to be a modest CPU core.
struct DefaultRates {
  // fp32 runs at this rate, and fp64 at half of it. tf32, bf16 and fp16 also run at this rate,
  // because a core without units for them computes in float and only moves fewer bytes.
  double flops_per_s = 50e9;
  double bytes_per_s = 8e9;
  double overhead_s = 2e-6;  // per kernel
  double uncertainty = 4.0;  // low = seconds / uncertainty, high = seconds * uncertainty
};

// A kernel takes overhead + max(flops / flops_per_s, bytes / bytes_per_s).
KernelEstimate rate_estimate(const DefaultRates& rates, const KernelSpec& spec);
// Returns the terms of rate_estimate(rates, spec).
RateParts rate_parts(const DefaultRates& rates, const KernelSpec& spec);

}  // namespace cnnplan
