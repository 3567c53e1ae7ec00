// Finds which fraction of the nominal operations per second the convolutions of a window reach.
#pragma once

#include "planner/kernel/kernel.hpp"
#include "planner/kernel/kernel_rates.hpp"

namespace cnnplan {

// Returns the efficiency of the window of a convolution. A convolution with few outputs, channels
// or filters reaches a fraction of this efficiency (rate_estimate).
double efficiency_of(const ConvolutionRates& rates, const Window& window);
// True for windows that extend over several positions of depth.
bool is_three_dimensional(const Window& window);
// Returns the rates of the phase of a kernel. Phases that no convolution has count as forward.
const ConvolutionRates& rates_of(const PrecisionRates& rates, KernelPhase phase);

// Returns by which factor the fastest method of a convolution exceeds the nominal operations per
// second, or 1 if it does not. A method that saves operations has an efficiency above 1. So no
// estimate by rate_estimate is below the bound that bound_of makes with this factor. The factor of
// other kernels is 1.
double saving_of_methods(const KernelRates& rates, const KernelSpec& spec);

}  // namespace cnnplan
