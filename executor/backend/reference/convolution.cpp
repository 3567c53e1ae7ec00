// Computes convolutions by their definition. All three phases walk the products y[o] += w[k] x[i].
#include <algorithm>

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

template <typename T>
void forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto* weight = operands[Role::weight].as<const T>();
  const auto y = tensor<T>(operands[Role::y], spec.out);
  const auto* bias = spec.bias ? operands[Role::bias].as<const T>() : nullptr;
  for_each_index(spec.out, [&](const Index& o) { y[o] = bias ? bias[o[1]] : T{0}; });
  for_each_product(
      spec, [&](const Index& o, const Index& i, std::int64_t k) { y[o] += weight[k] * x[i]; });
  if (!spec.relu) return;
  for_each_index(spec.out, [&](const Index& o) { y[o] = std::max(y[o], T{0}); });
}

template <typename T>
void backward_data(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto* weight = operands[Role::weight].as<const T>();
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.in, [&](const Index& i) { dx[i] = T{0}; });
  for_each_product(
      spec, [&](const Index& o, const Index& i, std::int64_t k) { dx[i] += weight[k] * dy[o]; });
}

template <typename T>
void backward_filter(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  auto* dweight = operands[Role::dweight].as<T>();
  const std::int64_t channels = spec.in[Dim::c] / spec.groups;
  std::fill_n(dweight, spec.out[Dim::c] * channels * kernel_volume(spec.window), T{0});
  for_each_product(
      spec, [&](const Index& o, const Index& i, std::int64_t k) { dweight[k] += x[i] * dy[o]; });
  if (!spec.bias) return;
  auto* dbias = operands[Role::dbias].as<T>();
  std::fill_n(dbias, spec.out[Dim::c], T{0});
  for_each_index(spec.out, [&](const Index& o) { dbias[o[1]] += dy[o]; });
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(const KernelSpec& spec, const KernelConstants&) {
  return make_loops(spec, [spec]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    if (spec.phase == KernelPhase::forward) {
      forward<T>(spec, operands);
    } else if (spec.phase == KernelPhase::backward_data) {
      backward_data<T>(spec, operands);
    } else {
      backward_filter<T>(spec, operands);
    }
  });
}

}  // namespace cnnplan::reference
