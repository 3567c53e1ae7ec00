// Adds a bias: y = x + bias of the channel. The gradient of the bias is the sum over positions.
#include <algorithm>
#include <vector>

#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/position_sums.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
CNNPLAN_INLINE void add(
    const T* x, const float* bias, T* y, std::int64_t positions, std::int64_t channels) {
  for (std::int64_t i = 0; i < positions; ++i, x += channels, y += channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < channels; ++c) y[c] = T(x[c] + bias[c]);
  }
}

template <typename T>
void forward(const Shape& shape, const OperandsByRole& operands) {
  const auto* bias = operands[Role::bias].as<const float>();
  for_each_run<T, T>(
      shape, {operands[Role::x], operands[Role::y]}, [&](std::int64_t positions, const T* x, T* y) {
        vectorized<add<T>>(x, bias, y, positions, shape[Dim::c]);
      });
}

template <typename T>
void backward_filter(const Shape& shape,
                     const OperandsByRole& operands,
                     std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for_each_run<T>(shape, {operands[Role::dy]}, [&](std::int64_t positions, const T* dy) {
    add_positions(dy, positions, shape[Dim::c], sums.data());
  });
  std::transform(sums.begin(), sums.end(), operands[Role::dbias].as<float>(), stored<float>);
}

template <typename T>
std::unique_ptr<Kernel> make(const KernelSpec& spec) {
  if (spec.phase == KernelPhase::forward) {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
          forward<T>(spec.out, operands);
        });
  }
  const std::vector<double> zeros(spec.out[Dim::c], 0.0);
  return std::make_unique<FunctionKernel>(
      "loops",
      spec,
      [shape = spec.out, sums = zeros](const OperandsByRole& operands, const StepState&) mutable {
        backward_filter<T>(shape, operands, sums);
      });
}

}  // namespace

std::unique_ptr<Kernel> make_bias(const Library&, const KernelSpec& spec, const KernelConstants&) {
  return with_activation(spec.precision, [&]<typename T>(T) { return make<T>(spec); });
}

}  // namespace cnnplan::onednn
