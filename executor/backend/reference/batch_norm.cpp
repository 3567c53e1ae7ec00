// Computes batch norm in four phases. The sums between the phases may be added up over ranks.
#include <algorithm>
#include <cmath>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

struct Setup {
  KernelSpec spec;
  KernelConstants constants;

  std::int64_t channels() const { return spec.out[Dim::c]; }
};

struct Moments {
  double mean = 0.0;
  double variance = 0.0;  // biased

  double normalised(double x, double epsilon) const {
    return (x - mean) / std::sqrt(variance + epsilon);
  }
};

// A tensor that the kernel lacks has no data, and is not read.
template <typename T>
Tensor<T> tensor_or_none(const OperandsByRole& operands, Role role, const Shape& shape) {
  return operands.has(role) ? tensor<T>(operands[role], shape) : Tensor<T>{};
}

// `sums` holds C sums, C sums of squares and the count.
Moments moments_of(const double* sums, std::int64_t channels, std::int64_t c) {
  const double mean = sums[c] / sums[2 * channels];
  return {mean, std::max(0.0, sums[channels + c] / sums[2 * channels] - mean * mean)};
}

template <typename T>
void forward_statistics(const Setup& setup, const OperandsByRole& operands) {
  const Shape& shape = setup.spec.in;
  const auto x = tensor<const T>(operands[Role::x], shape);
  auto* sums = operands[Role::sums].as<double>();
  const std::int64_t channels = setup.channels();
  std::fill_n(sums, 2 * channels + 1, 0.0);
  for_each_index(shape, [&](const Index& i) {
    const double value = x[i];
    sums[i[1]] += value;
    sums[channels + i[1]] += value * value;
  });
  Shape positions = shape;
  positions[Dim::c] = 1;
  sums[2 * channels] = static_cast<double>(volume(positions));
}

// The running variance is the unbiased one.
template <typename T>
void update_running(const Setup& setup, const double* sums, T* mean, T* variance) {
  const std::int64_t channels = setup.channels();
  const double count = sums[2 * channels];
  const double momentum = setup.constants.running_momentum;
  const double unbias = count > 1.0 ? count / (count - 1.0) : 1.0;
  for (std::int64_t c = 0; c < channels; ++c) {
    const Moments batch = moments_of(sums, channels, c);
    mean[c] = stored<T>((1.0 - momentum) * mean[c] + momentum * batch.mean);
    variance[c] = stored<T>((1.0 - momentum) * variance[c] + momentum * batch.variance * unbias);
  }
}

template <typename T>
void forward(const Setup& setup, const OperandsByRole& operands, bool training) {
  const KernelSpec& spec = setup.spec;
  const auto* sums = operands[Role::sums].as<const double>();
  const auto* scale = operands[Role::scale].as<const T>();
  const auto* shift = operands[Role::shift].as<const T>();
  auto* mean = operands[Role::running_mean].as<T>();
  auto* variance = operands[Role::running_variance].as<T>();
  const bool has_sums = training && sums[2 * setup.channels()] > 0.0;
  if (has_sums) update_running(setup, sums, mean, variance);
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto residual = tensor_or_none<const T>(operands, Role::residual, spec.out);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& i) {
    const std::int64_t c = i[1];
    const Moments moments =
        has_sums ? moments_of(sums, setup.channels(), c) : Moments{mean[c], variance[c]};
    T value = stored<T>(moments.normalised(x[i], setup.constants.epsilon)) * scale[c] + shift[c];
    if (spec.residual) value += residual[i];
    y[i] = spec.relu ? positive_part(value) : value;
  });
}

template <typename T>
void backward_statistics(const Setup& setup, const OperandsByRole& operands) {
  const KernelSpec& spec = setup.spec;
  const std::int64_t channels = setup.channels();
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto second_dy = tensor_or_none<const T>(operands, Role::second_dy, spec.out);
  const auto y = tensor_or_none<const T>(operands, Role::y, spec.out);
  const auto* sums = operands[Role::sums].as<const double>();
  auto* gradient_sums = operands[Role::gradient_sums].as<double>();
  const auto dz = tensor_or_none<T>(operands, Role::dz, spec.out);
  const bool keeps_dz = operands.has(Role::dz);
  // The sum is rounded as memory would hold it.
  const auto sum = [element = activation_element(spec.precision)](T a, T b) {
    return stored<T>(rounded(element, a + b));
  };
  std::fill_n(gradient_sums, 2 * channels, 0.0);
  for_each_index(spec.out, [&](const Index& i) {
    const T arrived = spec.second_dy ? sum(dy[i], second_dy[i]) : dy[i];
    const T gradient = !spec.relu || y[i] > T{0} ? arrived : T{0};
    if (keeps_dz) dz[i] = gradient;
    gradient_sums[i[1]] += gradient;
    gradient_sums[channels + i[1]] +=
        gradient * moments_of(sums, channels, i[1]).normalised(x[i], setup.constants.epsilon);
  });
  auto* dscale = operands[Role::dscale].as<T>();
  auto* dshift = operands[Role::dshift].as<T>();
  for (std::int64_t c = 0; c < channels; ++c) {
    dscale[c] = stored<T>(gradient_sums[channels + c]);
    dshift[c] = stored<T>(gradient_sums[c]);
  }
}

// Computes dx = scale / sqrt(variance + epsilon) (dz - mean(dz) - normalised x * mean(dz *
// normalised x)).
template <typename T>
void backward_data(const Setup& setup, const OperandsByRole& operands) {
  const KernelSpec& spec = setup.spec;
  const std::int64_t channels = setup.channels();
  const bool masked = spec.relu && !spec.residual;
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto dz = tensor<const T>(operands[Role::dz], spec.out);
  const auto y = tensor_or_none<const T>(operands, Role::y, spec.out);
  const auto* sums = operands[Role::sums].as<const double>();
  const auto* gradient_sums = operands[Role::gradient_sums].as<const double>();
  const auto* scale = operands[Role::scale].as<const T>();
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  const double count = sums[2 * channels];
  for_each_index(spec.in, [&](const Index& i) {
    const std::int64_t c = i[1];
    const Moments moments = moments_of(sums, channels, c);
    const double normalised = moments.normalised(x[i], setup.constants.epsilon);
    const double gradient = !masked || y[i] > T{0} ? dz[i] : 0.0;
    const double centred =
        gradient - gradient_sums[c] / count - normalised * gradient_sums[channels + c] / count;
    dx[i] = stored<T>(scale[c] * centred / std::sqrt(moments.variance + setup.constants.epsilon));
  });
}

template <typename T>
void run(const Setup& setup, const OperandsByRole& operands, const StepState& state) {
  switch (setup.spec.phase) {
    case KernelPhase::forward_statistics:
      return forward_statistics<T>(setup, operands);
    case KernelPhase::forward:
      return forward<T>(setup, operands, state.training);
    case KernelPhase::backward_statistics:
      return backward_statistics<T>(setup, operands);
    default:
      return backward_data<T>(setup, operands);
  }
}

}  // namespace

std::unique_ptr<Kernel> make_batch_norm(const KernelSpec& spec, const KernelConstants& constants) {
  const Setup setup{spec, constants};
  return make_loops(spec,
                    [setup]<typename T>(T, const OperandsByRole& operands, const StepState& state) {
                      run<T>(setup, operands, state);
                    });
}

}  // namespace cnnplan::reference
