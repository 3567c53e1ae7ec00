// Holds the rates of a device, to estimate the kernels that were not timed on it.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Holds fractions of the nominal operations per second that are reached with many channels, filters
// and outputs. A fraction is above 1 if a method saves operations, as Winograd's does.
struct ConvolutionEfficiency {
  double pointwise = 1.0;       // one point, stride 1
  double three_by_three = 1.0;  // 3x3, stride 1, not dilated
  double strided = 1.0;         // any stride above 1
  double other = 1.0;           // all other windows of depth one
  // Windows that are deeper than one, of any stride. Platform files without it take `other`.
  double three_dimensional = 1.0;
  auto operator<=>(const ConvolutionEfficiency&) const = default;
};

// Describes convolutions of one phase. At the size `outputs_half`, `channels_half` or
// `filters_half`, they reach half of the efficiency. With a size of 0, they always reach all of it.
struct ConvolutionRates {
  double overhead_s = 0.0;  // per kernel
  ConvolutionEfficiency efficiency;
  double outputs_half = 0.0;   // elements written
  double channels_half = 0.0;  // of x, per group
  double filters_half = 0.0;   // channels of y, per group
  auto operator<=>(const ConvolutionRates&) const = default;
};

// Describes the convolutions that a device computes in one precision.
struct PrecisionRates {
  Precision precision = Precision::fp32;
  double flops_per_s = 0.0;  // nominal, as the maker of the device states it
  // The range of an estimate is its time multiplied by these factors. They hold 80 % of the kernels
  // that were left out of the fit. Three-dimensional windows have a wider range (rate_estimate).
  double low_factor = 1.0;
  double high_factor = 1.0;
  ConvolutionRates forward;
  ConvolutionRates backward_data;
  ConvolutionRates backward_filter;
  auto operator<=>(const PrecisionRates&) const = default;
};

// Describes a device.
struct KernelRates {
  std::string source;                      // says where the figures come from
  double bytes_per_s = 0.0;                // memory bandwidth that long copies reach
  double overhead_s = 0.0;                 // of each kernel except convolutions
  std::vector<PrecisionRates> precisions;  // each precision at most once, fp32 always
  auto operator<=>(const KernelRates&) const = default;
};

// Returns the rates of `precision`, or the rates of fp32 if the device has none for it. @pre
// `rates` has fp32
const PrecisionRates& rates_of(const KernelRates& rates, Precision precision);

}  // namespace cnnplan
