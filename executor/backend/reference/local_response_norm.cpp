// Computes y = x s^-beta with s = k + scale * (sum of the squares of the channels around).
#include <algorithm>
#include <cmath>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

// Calls f(index of a neighbour) for all channels around the channel of `index`.
template <typename F>
void for_each_around(const KernelSpec& spec, const Index& index, F f) {
  const std::int64_t first = index[channel_dim] - (spec.local_size - 1) / 2;
  const std::int64_t end = std::min(spec.out[Dim::c], first + spec.local_size);
  for (std::int64_t c = std::max<std::int64_t>(0, first); c < end; ++c) {
    Index neighbour = index;
    neighbour[channel_dim] = c;
    f(neighbour);
  }
}

template <typename T>
T sum_around(const KernelSpec& spec,
             const KernelConstants& constants,
             const Tensor<const T>& x,
             const Index& index) {
  double squares = 0.0;
  for_each_around(spec, index, [&](const Index& i) {
    const double value = x[i];
    squares += value * value;
  });
  return stored<T>(constants.response_k + constants.response_scale * squares);
}

template <typename T>
void forward(const KernelSpec& spec,
             const KernelConstants& constants,
             const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  const auto power = stored<T>(-constants.response_beta);
  for_each_index(spec.out, [&](const Index& i) {
    const T sum = sum_around(spec, constants, x, i);
    y[i] = x[i] * std::pow(sum, power) + (sum - sum);  // not-a-number where the sum overflowed
  });
}

// Every output adds its gradient to its own input, and to all inputs that its sum has.
template <typename T>
void backward_data(const KernelSpec& spec,
                   const KernelConstants& constants,
                   const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  const auto beta = stored<T>(constants.response_beta);
  const auto scale = stored<T>(constants.response_scale);
  BlockSums sums(spec.in);
  for_each_index(spec.out, [&](const Index& o) {
    const T sum = sum_around(spec, constants, x, o);
    const T power = std::pow(sum, -beta);
    sums[o] += dy[o] * power;
    const T factor = -2 * scale * beta * dy[o] * x[o] * power / sum;
    for_each_around(spec, o, [&](const Index& i) { sums[i] += factor * x[i]; });
  });
  sums.store(dx);
}

}  // namespace

std::unique_ptr<Kernel> make_local_response_norm(const KernelSpec& spec,
                                                 const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  const auto run = [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, constants, operands)
               : backward_data<T>(spec, constants, operands);
  };
  return make_loops(spec, run, is_forward ? 0 : BlockSums::bytes(spec.in));
}

}  // namespace cnnplan::reference
