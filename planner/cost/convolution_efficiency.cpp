// Tells windows apart by their depth, strides and sizes.
#include "planner/cost/convolution_efficiency.hpp"

#include <algorithm>

namespace cnnplan {

bool is_three_dimensional(const Window& window) {
  return window.dims[0].kernel > 1;
}

double efficiency_of(const ConvolutionRates& rates, const Window& window) {
  const ConvolutionEfficiency& efficiency = rates.efficiency;
  if (is_three_dimensional(window)) return efficiency.three_dimensional;
  const auto all = [&window](auto&& holds) {
    return std::all_of(window.dims.begin(), window.dims.end(), holds);
  };
  if (!all([](const WindowDim& dim) { return dim.stride == 1; })) return efficiency.strided;
  if (all([](const WindowDim& dim) { return dim.kernel == 1; })) return efficiency.pointwise;
  const bool is_three_by_three = window.dims[1].kernel == 3 && window.dims[2].kernel == 3;
  const bool is_dilated = !all([](const WindowDim& dim) { return dim.dilation == 1; });
  return is_three_by_three && !is_dilated ? efficiency.three_by_three : efficiency.other;
}

const ConvolutionRates& rates_of(const PrecisionRates& rates, KernelPhase phase) {
  if (phase == KernelPhase::backward_data) return rates.backward_data;
  return phase == KernelPhase::backward_filter ? rates.backward_filter : rates.forward;
}

double saving_of_methods(const KernelRates& rates, const KernelSpec& spec) {
  if (spec.kind != KernelKind::convolution) return 1.0;
  const PrecisionRates& precision = rates_of(rates, spec.precision);
  return std::max(1.0, efficiency_of(rates_of(precision, spec.phase), spec.window));
}

}  // namespace cnnplan
