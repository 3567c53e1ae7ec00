// Time of a kernel from the rates of its device alone.
#pragma once

#include "planner/cost/kernel_estimate.hpp"
#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_rates.hpp"

namespace cnnplan {

// overhead + max(flops / rate, bytes / rate), with what it is made of.
struct RateParts {
  double overhead_s = 0.0;
  double flops = 0.0;
  double flops_per_s = 1.0;  // that this kernel reaches
  double bytes = 0.0;
  double bytes_per_s = 1.0;
  double flops_s() const { return flops / flops_per_s; }
  double bytes_s() const { return bytes / bytes_per_s; }
  double seconds() const;
};

// A convolution: overhead + max(flops / (flops_per_s * e), bytes / bytes_per_s), where
// e = efficiency * o/(o + outputs_half) * c/(c + channels_half) * f/(f + filters_half) falls with
// the elements o that it writes and its channels c and filters f per group; all of its phase and
// precision. All else: overhead + bytes / bytes_per_s. `scripts/fit-kernel-rates` fits the same.
// @pre `rates` has fp32
KernelEstimate rate_estimate(const KernelRates& rates, const KernelSpec& spec);
RateParts rate_parts(const KernelRates& rates, const KernelSpec& spec);

// What is assumed of a device of which nothing is known: a modest CPU core.
struct DefaultRates {
  // fp32; fp64 runs at half of it. tf32, bf16 and fp16 run no faster: a core without units for them
  // computes in float, and gains only the bytes that it does not move.
  double flops_per_s = 50e9;
  double bytes_per_s = 8e9;
  double overhead_s = 2e-6;  // per kernel
  double uncertainty = 4.0;  // low = seconds / uncertainty, high = seconds * uncertainty
};

// overhead + max(flops / rate, bytes / rate)
KernelEstimate rate_estimate(const DefaultRates& rates, const KernelSpec& spec);
RateParts rate_parts(const DefaultRates& rates, const KernelSpec& spec);

}  // namespace cnnplan
