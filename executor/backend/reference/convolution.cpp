// Computes convolutions by their definition. All three phases walk the products y[o] += w[k] x[i].
#include <algorithm>
#include <vector>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

// Calls f(y index, x index, weight index) for every product of the convolution.
template <typename F>
void for_each_product(const KernelSpec& spec, F f) {
  const std::int64_t channels = spec.in[Dim::c] / spec.groups;
  const std::int64_t filters = spec.out[Dim::c] / spec.groups;
  const std::int64_t taps = kernel_volume(spec.window);
  for_each_index(spec.out, [&](const Index& y) {
    const std::int64_t first_channel = y[1] / filters * channels;
    for_each_tap(spec.window, spec.in, y, [&](std::int64_t tap, Index x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        x[1] = first_channel + c;
        f(y, x, (y[1] * channels + c) * taps + tap);
      }
    });
  });
}

double product(double a, double b) {
  return a * b;
}

template <typename T>
void forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto* weight = operands[Role::weight].as<const T>();
  const auto y = tensor<T>(operands[Role::y], spec.out);
  const auto* bias = spec.bias ? operands[Role::bias].as<const T>() : nullptr;
  BlockSums sums(spec.out);
  if (bias) for_each_index(spec.out, [&](const Index& o) { sums[o] = bias[o[1]]; });
  for_each_product(spec, [&](const Index& o, const Index& i, std::int64_t k) {
    sums[o] += product(weight[k], x[i]);
  });
  if (spec.relu) {
    for_each_index(spec.out, [&](const Index& o) { sums[o] = positive_part(stored<T>(sums[o])); });
  }
  sums.store(y);
}

template <typename T>
void backward_data(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto* weight = operands[Role::weight].as<const T>();
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  BlockSums sums(spec.in);
  for_each_product(spec, [&](const Index& o, const Index& i, std::int64_t k) {
    sums[i] += product(weight[k], dy[o]);
  });
  sums.store(dx);
}

template <typename T>
void backward_filter(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  std::vector<double> sums(weight_volume(spec));
  for_each_product(spec, [&](const Index& o, const Index& i, std::int64_t k) {
    sums[k] += product(x[i], dy[o]);
  });
  std::transform(sums.begin(), sums.end(), operands[Role::dweight].as<T>(), stored<T>);
  if (!spec.bias) return;
  std::vector<double> biases(spec.out[Dim::c]);
  for_each_index(spec.out, [&](const Index& o) { biases[o[1]] += dy[o]; });
  std::transform(biases.begin(), biases.end(), operands[Role::dbias].as<T>(), stored<T>);
}

std::int64_t sum_bytes(const KernelSpec& spec) {
  if (spec.phase == KernelPhase::forward) return BlockSums::bytes(spec.out);
  if (spec.phase == KernelPhase::backward_data) return BlockSums::bytes(spec.in);
  const std::int64_t biases = spec.bias ? spec.out[Dim::c] : 0;
  return (weight_volume(spec) + biases) * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(const KernelSpec& spec, const KernelConstants&) {
  const auto run = [spec]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    if (spec.phase == KernelPhase::forward) {
      forward<T>(spec, operands);
    } else if (spec.phase == KernelPhase::backward_data) {
      backward_data<T>(spec, operands);
    } else {
      backward_filter<T>(spec, operands);
    }
  };
  return make_loops(spec, run, sum_bytes(spec));
}

}  // namespace cnnplan::reference
