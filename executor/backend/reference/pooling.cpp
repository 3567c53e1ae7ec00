// Computes max and average pooling. The index of a maximum is the number of its tap in the window.
#include <cmath>
#include <limits>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

Tensor<std::int32_t> index_tensor(const TensorView& view, const Shape& shape) {
  return tensor<std::int32_t>(view, shape);
}

// The first of equal maxima wins. Not-a-number wins against all numbers, and stands for minus
// infinity, too.
template <typename T>
void max_forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  const auto index = index_tensor(operands[Role::index], spec.out);
  for_each_index(spec.out, [&](const Index& o) {
    y[o] = std::numeric_limits<T>::lowest();
    index[o] = -1;
    for_each_tap(spec.window, spec.in, o, [&](std::int64_t tap, const Index& i) {
      const T value = seen_by_maximum<T>(x[i]);
      if (index[o] >= 0 && (value <= y[o] || std::isnan(y[o]))) return;
      y[o] = value;
      index[o] = static_cast<std::int32_t>(tap);
    });
  });
}

template <typename T>
void max_backward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto index = index_tensor(operands[Role::index], spec.out);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  BlockSums sums(spec.in);
  for_each_index(spec.out, [&](const Index& o) {
    for_each_tap(spec.window, spec.in, o, [&](std::int64_t tap, const Index& i) {
      if (tap == index[o]) sums[i] += dy[o];
    });
  });
  sums.store(dx);
}

// Counts the elements that the average at `o` is taken over.
double divisor(const KernelSpec& spec, const Index& o) {
  std::int64_t inside = 0;
  for_each_tap(spec.window, spec.in, o, [&](std::int64_t, const Index&) { ++inside; });
  return static_cast<double>(spec.count_include_padding ? kernel_volume(spec.window) : inside);
}

template <typename T>
void average_forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& o) {
    double sum = 0.0;
    for_each_tap(spec.window, spec.in, o, [&](std::int64_t, const Index& i) { sum += x[i]; });
    y[o] = stored<T>(sum / divisor(spec, o));
  });
}

template <typename T>
void average_backward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  BlockSums sums(spec.in);
  for_each_index(spec.out, [&](const Index& o) {
    const double share = dy[o] / divisor(spec, o);
    for_each_tap(spec.window, spec.in, o, [&](std::int64_t, const Index& i) { sums[i] += share; });
  });
  sums.store(dx);
}

}  // namespace

std::unique_ptr<Kernel> make_pooling(const KernelSpec& spec, const KernelConstants&) {
  const bool is_max = spec.pooling == PoolingMode::max;
  const bool is_forward = spec.phase == KernelPhase::forward;
  const auto run = [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    if (is_max) {
      is_forward ? max_forward<T>(spec, operands) : max_backward<T>(spec, operands);
    } else {
      is_forward ? average_forward<T>(spec, operands) : average_backward<T>(spec, operands);
    }
  };
  return make_loops(spec, run, is_forward ? 0 : BlockSums::bytes(spec.in));
}

}  // namespace cnnplan::reference
