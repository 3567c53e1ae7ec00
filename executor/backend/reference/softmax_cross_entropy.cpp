// Computes the softmax over channels and the mean of -log of the probability of the label.
#include <algorithm>
#include <cmath>

#include "executor/backend/compensated_sum.hpp"
#include "executor/backend/labels.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

Index channel_of(Index position, std::int64_t c) {
  position[1] = c;
  return position;
}

// Calls f(position index with c = 0, label) in the order of the labels.
template <typename F>
void for_each_label(const Shape& shape, const TensorView& labels, F f) {
  Shape positions = shape;
  positions[Dim::c] = 1;
  const auto* label = labels.as<const std::int32_t>();
  if (volume(shape) == 0) return;
  for_each_index(positions, [&](const Index& position) {
    f(position, checked_label(*label++, shape[Dim::c]));
  });
}

template <typename T>
void forward(const KernelSpec& spec, double loss_count, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto probabilities = tensor<T>(operands[Role::probabilities], spec.in);
  const std::int64_t channels = spec.in[Dim::c];
  CompensatedSum loss;
  for_each_label(spec.in, operands[Role::labels], [&](const Index& position, std::int64_t label) {
    T largest = x[position];
    for (std::int64_t c = 1; c < channels; ++c) {
      largest = std::max(largest, x[channel_of(position, c)]);
    }
    double sum = 0.0;
    for (std::int64_t c = 0; c < channels; ++c) {
      sum += std::exp(x[channel_of(position, c)] - largest);
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      const Index i = channel_of(position, c);
      probabilities[i] = stored<T>(std::exp(x[i] - largest) / sum);
    }
    loss.add(std::log(sum) - (x[channel_of(position, label)] - largest));
  });
  *operands[Role::loss].as<double>() = loss.value() / loss_count;
}

template <typename T>
void backward_data(const KernelSpec& spec, double divisor, const OperandsByRole& operands) {
  const auto probabilities = tensor<const T>(operands[Role::probabilities], spec.in);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_label(spec.in, operands[Role::labels], [&](const Index& position, std::int64_t label) {
    for (std::int64_t c = 0; c < spec.in[Dim::c]; ++c) {
      const Index i = channel_of(position, c);
      dx[i] = (probabilities[i] - (c == label ? T{1} : T{0})) / stored<T>(divisor);
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_softmax_cross_entropy(const KernelSpec& spec,
                                                   const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec,
                    [=]<typename T>(T, const OperandsByRole& operands, const StepState& state) {
                      if (is_forward) {
                        forward<T>(spec, constants.loss_count, operands);
                      } else {
                        backward_data<T>(spec, constants.loss_count / state.loss_scale, operands);
                      }
                    });
}

}  // namespace cnnplan::reference
