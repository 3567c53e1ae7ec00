// Runs a linear kernel on the absolute values of its operands.
#include "executor/verify/linear_terms.hpp"

#include <algorithm>
#include <cmath>

#include "executor/verify/dense_operand.hpp"

namespace cnnplan {
namespace {

double window_volume(const Window& window) {
  double product = 1.0;
  for (const WindowDim& dim : window.dims) product *= static_cast<double>(dim.kernel);
  return product;
}

double positions(const Shape& shape) {
  Shape one_channel = shape;
  one_channel[Dim::c] = 1;
  return static_cast<double>(volume(one_channel));
}

KernelSpec without_relu(KernelSpec spec) {
  spec.relu = false;
  return spec;
}

KernelConstants with_absolute_factors(KernelConstants constants) {
  constants.add_scale = std::abs(constants.add_scale);
  return constants;
}

}  // namespace

bool is_linear(const KernelSpec& spec) {
  switch (spec.kind) {
    case KernelKind::convolution:
    case KernelKind::bias:
    case KernelKind::upsample:
    case KernelKind::interpolate:
    case KernelKind::add:
    case KernelKind::accumulate:
      return true;
    case KernelKind::pooling:
      return spec.pooling == PoolingMode::average;
    case KernelKind::batch_norm:
      return spec.phase == KernelPhase::forward_statistics;
    default:
      return false;
  }
}

double term_count(const KernelSpec& spec) {
  const auto groups = static_cast<double>(spec.groups);
  double count = 2.0;
  if (spec.phase == KernelPhase::backward_filter) {
    count = positions(spec.out);
  } else if (spec.phase == KernelPhase::forward_statistics) {
    count = positions(spec.in);
  } else if (spec.kind == KernelKind::convolution) {
    const Shape& summed = spec.phase == KernelPhase::forward ? spec.in : spec.out;
    count = static_cast<double>(summed[Dim::c]) / groups * window_volume(spec.window) + 1.0;
  } else if (spec.kind == KernelKind::pooling || spec.kind == KernelKind::upsample ||
             spec.kind == KernelKind::interpolate) {
    count = window_volume(spec.window);
  }
  return std::max(count, 2.0);
}

AbsoluteTerms::AbsoluteTerms(const KernelSpec& spec,
                             const KernelConstants& constants,
                             Backend& reference)
    : roles_(kernel_operands(without_relu(spec))),
      kernel_(reference.make_kernel(without_relu(spec), with_absolute_factors(constants), "")) {}

std::vector<std::vector<double>> AbsoluteTerms::run(Operands operands,
                                                    const StepState& state) const {
  std::vector<std::vector<double>> values(roles_.size());
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].written) {
      values[i].resize(volume(operands[i].box));
    } else {
      values[i] = dense_values<double>(operands[i]);
      for (double& value : values[i]) value = std::abs(value);
    }
    views.push_back(dense_view(values[i], operands[i].box));
  }
  kernel_->run(views, state);
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (!roles_[i].written) values[i].clear();
  }
  return values;
}

}  // namespace cnnplan
