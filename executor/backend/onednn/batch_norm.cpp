// Computes batch norm in four phases. The sums between the phases may be added up over ranks.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "executor/backend/onednn/batch_norm_loops.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"

namespace cnnplan::onednn {
namespace {

struct Setup {
  KernelSpec spec;
  KernelConstants constants;

  std::int64_t channels() const { return spec.out[Dim::c]; }
  RunSize size(std::int64_t positions) const { return {positions, channels()}; }
};

// Holds the numbers per channel of one call, in one vector each.
struct ChannelWorkspace {
  explicit ChannelWorkspace(std::int64_t channels) {
    for (auto* values : {&mean, &factor, &offset, &slope}) {
      values->resize(channels);
    }
  }
  std::vector<float> mean, factor, offset, slope;
};

struct Moments {
  double mean = 0.0;
  double variance = 0.0;  // biased
};

// `sums` holds C sums, C sums of squares and the count.
Moments moments_of(const double* sums, std::int64_t channels, std::int64_t c) {
  const double mean = sums[c] / sums[2 * channels];
  return {mean, std::max(0.0, sums[channels + c] / sums[2 * channels] - mean * mean)};
}

double inverse_deviation(const Setup& setup, const Moments& moments) {
  return 1.0 / std::sqrt(moments.variance + setup.constants.epsilon);
}

template <typename T>
void forward_statistics(const Setup& setup, const OperandsByRole& operands) {
  const std::int64_t channels = setup.channels();
  auto* sums = operands[Role::sums].as<double>();
  std::fill_n(sums, 2 * channels + 1, 0.0);
  for_each_run<T>(setup.spec.in, {operands[Role::x]}, [&](std::int64_t positions, const T* x) {
    add_moments(setup.size(positions), x, sums, sums + channels);
    sums[2 * channels] += static_cast<double>(positions);
  });
}

// Blends in the mean and the unbiased variance of the batch.
void update_running(const Setup& setup, const double* sums, float* mean, float* variance) {
  const double count = sums[2 * setup.channels()];
  const double unbias = count > 1.0 ? count / (count - 1.0) : 1.0;
  const double momentum = setup.constants.running_momentum;
  const auto blend = [momentum](float& running, double batch) {
    running = stored<float>((1.0 - momentum) * running + momentum * batch);
  };
  for (std::int64_t c = 0; c < setup.channels(); ++c) {
    const Moments batch = moments_of(sums, setup.channels(), c);
    blend(mean[c], batch.mean);
    blend(variance[c], batch.variance * unbias);
  }
}

void prepare_forward(const Setup& setup,
                     const OperandsByRole& operands,
                     bool training,
                     ChannelWorkspace& workspace) {
  const auto* sums = operands[Role::sums].as<const double>();
  const auto* scale = operands[Role::scale].as<const float>();
  auto* mean = operands[Role::running_mean].as<float>();
  auto* variance = operands[Role::running_variance].as<float>();
  const bool has_sums = training && sums[2 * setup.channels()] > 0.0;
  if (has_sums) update_running(setup, sums, mean, variance);
  for (std::int64_t c = 0; c < setup.channels(); ++c) {
    const Moments moments =
        has_sums ? moments_of(sums, setup.channels(), c) : Moments{mean[c], variance[c]};
    workspace.mean[c] = stored<float>(moments.mean);
    workspace.factor[c] = stored<float>(scale[c] * inverse_deviation(setup, moments));
  }
}

template <typename T>
void forward(const Setup& setup,
             const OperandsByRole& operands,
             bool training,
             ChannelWorkspace& workspace) {
  const KernelSpec& spec = setup.spec;
  prepare_forward(setup, operands, training, workspace);
  const Normalisation by{.mean = workspace.mean.data(),
                         .factor = workspace.factor.data(),
                         .shift = operands[Role::shift].as<const float>()};
  // x stands in for a missing residual, and is not touched.
  const TensorView& residual = operands[spec.residual ? Role::residual : Role::x];
  for_each_run<T, T, T>(
      spec.out,
      {operands[Role::x], residual, operands[Role::y]},
      [&](std::int64_t positions, const T* x, const T* added, T* y) {
        normalise(setup.size(positions), by, x, spec.residual ? added : nullptr, spec.relu, y);
      });
}

template <typename T>
void add_gradients(const Setup& setup, const OperandsByRole& operands, const GradientSums& sums) {
  const KernelSpec& spec = setup.spec;
  const TensorView& x = operands[Role::x];
  const TensorView& dy = operands[Role::dy];
  const bool keeps_dz = operands.has(Role::dz);
  // x stands in for missing views, and is not touched.
  const TensorView& second_dy = spec.second_dy ? operands[Role::second_dy] : x;
  const TensorView& y = spec.relu ? operands[Role::y] : x;
  const TensorView& dz = keeps_dz ? operands[Role::dz] : x;
  for_each_run<T, T, T, T, T>(spec.out,
                              {x, dy, second_dy, y, dz},
                              [&](std::int64_t positions,
                                  const T* from,
                                  const T* gradient,
                                  const T* added,
                                  const T* mask,
                                  T* to) {
                                add_gradient_sums<T>(setup.size(positions),
                                                     {.x = from,
                                                      .dy = gradient,
                                                      .second_dy = spec.second_dy ? added : nullptr,
                                                      .y = spec.relu ? mask : nullptr,
                                                      .dz = keeps_dz ? to : nullptr},
                                                     sums);
                              });
}

template <typename T>
void backward_statistics(const Setup& setup,
                         const OperandsByRole& operands,
                         ChannelWorkspace& workspace) {
  const std::int64_t channels = setup.channels();
  const auto* sums = operands[Role::sums].as<const double>();
  auto* gradient = operands[Role::gradient_sums].as<double>();
  double* product = gradient + channels;
  std::fill_n(gradient, 2 * channels, 0.0);
  const bool has_sums = sums[2 * channels] > 0.0;
  for (std::int64_t c = 0; has_sums && c < channels; ++c) {
    workspace.mean[c] = stored<float>(moments_of(sums, channels, c).mean);
  }
  add_gradients<T>(setup, operands, {workspace.mean.data(), gradient, product});
  auto* dscale = operands[Role::dscale].as<float>();
  auto* dshift = operands[Role::dshift].as<float>();
  for (std::int64_t c = 0; c < channels; ++c) {
    if (has_sums) {
      const Moments moments = moments_of(sums, channels, c);
      // The products had the rounded mean.
      product[c] += gradient[c] * (workspace.mean[c] - moments.mean);
      product[c] *= inverse_deviation(setup, moments);
    }
    dscale[c] = stored<float>(product[c]);
    dshift[c] = stored<float>(gradient[c]);
  }
}

// Computes the numbers of dx = scale / deviation (dz - mean(dz) - normalised x * mean(dz *
// normalised x)).
void prepare_backward_data(const Setup& setup,
                           const OperandsByRole& operands,
                           ChannelWorkspace& workspace) {
  const std::int64_t channels = setup.channels();
  const auto* sums = operands[Role::sums].as<const double>();
  const auto* gradient_sums = operands[Role::gradient_sums].as<const double>();
  const auto* scale = operands[Role::scale].as<const float>();
  const double count = sums[2 * channels];
  for (std::int64_t c = 0; c < channels; ++c) {
    const Moments moments = moments_of(sums, channels, c);
    const double inverse = inverse_deviation(setup, moments);
    workspace.mean[c] = stored<float>(moments.mean);
    workspace.factor[c] = stored<float>(scale[c] * inverse);
    workspace.offset[c] = stored<float>(gradient_sums[c] / count);
    workspace.slope[c] = stored<float>(gradient_sums[channels + c] / count * inverse);
  }
}

template <typename T>
void backward_data(const Setup& setup,
                   const OperandsByRole& operands,
                   ChannelWorkspace& workspace) {
  const KernelSpec& spec = setup.spec;
  if (volume(spec.in) == 0) return;
  const bool masked = spec.relu && !spec.residual;
  prepare_backward_data(setup, operands, workspace);
  const GradientTransform by{.mean = workspace.mean.data(),
                             .factor = workspace.factor.data(),
                             .offset = workspace.offset.data(),
                             .slope = workspace.slope.data()};
  const TensorView& x = operands[Role::x];
  const TensorView& y = masked ? operands[Role::y] : x;
  for_each_run<T, T, T, T>(
      spec.in,
      {x, operands[Role::dz], y, operands[Role::dx]},
      [&](std::int64_t positions, const T* from, const T* dz, const T* mask, T* to) {
        transform_gradient(setup.size(positions), by, from, dz, masked ? mask : nullptr, to);
      });
}

template <typename T>
void run(const Setup& setup,
         const OperandsByRole& operands,
         const StepState& state,
         ChannelWorkspace& workspace) {
  switch (setup.spec.phase) {
    case KernelPhase::forward_statistics:
      return forward_statistics<T>(setup, operands);
    case KernelPhase::forward:
      return forward<T>(setup, operands, state.training, workspace);
    case KernelPhase::backward_statistics:
      return backward_statistics<T>(setup, operands, workspace);
    default:
      return backward_data<T>(setup, operands, workspace);
  }
}

}  // namespace

std::unique_ptr<Kernel> make_batch_norm(const Library&,
                                        const KernelSpec& spec,
                                        const KernelConstants& constants) {
  const Setup setup{spec, constants};
  const auto workspace = std::make_shared<ChannelWorkspace>(setup.channels());
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState& state) {
          run<T>(setup, operands, state, *workspace);
        });
  });
}

}  // namespace cnnplan::onednn
