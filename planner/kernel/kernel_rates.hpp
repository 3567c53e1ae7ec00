// What a device computes and moves per second: for kernels that nobody timed on it.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Operations per second over the nominal ones, where channels, filters and outputs are many. Above
// 1 where a method saves operations, as Winograd's does.
struct ConvolutionEfficiency {
  double pointwise = 1.0;       // one point, stride 1
  double three_by_three = 1.0;  // 3x3, stride 1, not dilated
  double strided = 1.0;         // any stride above 1
  double other = 1.0;
  auto operator<=>(const ConvolutionEfficiency&) const = default;
};

// Of one phase. The halves are where half of the efficiency is reached; 0: from the first on.
struct ConvolutionRates {
  double overhead_s = 0.0;  // per kernel
  ConvolutionEfficiency efficiency;
  double outputs_half = 0.0;   // elements written
  double channels_half = 0.0;  // of x, per group
  double filters_half = 0.0;   // channels of y, per group
  auto operator<=>(const ConvolutionRates&) const = default;
};

struct PrecisionRates {
  Precision precision = Precision::fp32;
  double flops_per_s = 0.0;  // nominal
  // Of ten kernels that were left out of the fit, eight took between these multiples of the
  // estimate.
  double low_factor = 1.0;
  double high_factor = 1.0;
  ConvolutionRates forward;
  ConvolutionRates backward_data;
  ConvolutionRates backward_filter;
  auto operator<=>(const PrecisionRates&) const = default;
};

struct KernelRates {
  std::string source;                      // where the figures come from
  double bytes_per_s = 0.0;                // of memory, as far as long copies reach it
  double overhead_s = 0.0;                 // per kernel that is no convolution
  std::vector<PrecisionRates> precisions;  // by precision, each once; fp32 is there
  auto operator<=>(const KernelRates&) const = default;
};

// Of `precision`; of fp32 where it has none. @pre there is one of fp32
const PrecisionRates& rates_of(const KernelRates& rates, Precision precision);

}  // namespace cnnplan
