// Operands by kind and phase.
#include "planner/kernel/kernel_operands.hpp"

#include <stdexcept>

namespace cnnplan {
namespace {

// Appends operands one by one; the names are those of the table.
class Operands {
 public:
  explicit Operands(const KernelSpec& spec)
      : activation_(buffer_element(activation_element(spec.precision))),
        parameter_(buffer_element(parameter_element(spec.precision))),
        in_(volume(spec.in)),
        out_(volume(spec.out)),
        channels_(spec.out[Dim::c]) {}

  Operands& x() { return add(activation_, in_); }
  Operands& dx() { return add(activation_, in_, true); }
  Operands& dy() { return add(activation_, out_); }
  Operands& y() { return add(activation_, out_, true); }
  Operands& weight(std::int64_t elements) { return add(activation_, elements); }
  Operands& dweight(std::int64_t elements) { return add(parameter_, elements, true); }
  Operands& by_channel(bool written = false) { return add(parameter_, channels_, written); }
  Operands& parameters(bool written = false) { return add(parameter_, out_, written); }
  Operands& integers(std::int64_t elements, bool written = false) {
    return add(BufferElement::int32, elements, written);
  }
  Operands& doubles(std::int64_t elements, bool written = false) {
    return add(BufferElement::fp64, elements, written);
  }
  std::vector<KernelOperand> list() && { return std::move(list_); }

 private:
  Operands& add(BufferElement element, std::int64_t elements, bool written = false) {
    list_.push_back({element, elements, written});
    return *this;
  }

  BufferElement activation_;
  BufferElement parameter_;
  std::int64_t in_;
  std::int64_t out_;
  std::int64_t channels_;
  std::vector<KernelOperand> list_;
};

void add_convolution(const KernelSpec& spec, Operands& operands) {
  const std::int64_t weight = weight_volume(spec);
  if (spec.phase == KernelPhase::forward) {
    operands.x().weight(weight);
    if (spec.bias) operands.by_channel();
    operands.y();
  } else if (spec.phase == KernelPhase::backward_data) {
    operands.dy().weight(weight).dx();
  } else {
    operands.x().dy().dweight(weight);
    if (spec.bias) operands.by_channel(true);
  }
}

void add_batch_norm(const KernelSpec& spec, Operands& operands) {
  const std::int64_t sums = 2 * spec.out[Dim::c] + 1;
  const std::int64_t gradient_sums = sums - 1;
  operands.x();
  if (spec.phase == KernelPhase::forward_statistics) {
    operands.doubles(sums, true);
  } else if (spec.phase == KernelPhase::forward) {
    operands.doubles(sums).by_channel().by_channel().by_channel(true).by_channel(true);
    if (spec.residual) operands.dy();
    operands.y();
  } else if (spec.phase == KernelPhase::backward_statistics) {
    operands.dy();
    if (spec.relu) operands.dy();
    operands.doubles(sums).doubles(gradient_sums, true).by_channel(true).by_channel(true);
    if (spec.residual) operands.y();
  } else {
    operands.dy();
    if (spec.relu && !spec.residual) operands.dy();
    operands.doubles(sums).doubles(gradient_sums).by_channel().dx();
  }
}

void add_pooling(const KernelSpec& spec, Operands& operands) {
  const bool has_index = spec.pooling == PoolingMode::max;
  if (spec.phase == KernelPhase::forward) {
    operands.x().y();
    if (has_index) operands.integers(volume(spec.out), true);
  } else {
    if (has_index) operands.integers(volume(spec.out));
    operands.dy().dx();
  }
}

void add_softmax_cross_entropy(const KernelSpec& spec, Operands& operands) {
  const std::int64_t channels = spec.out[Dim::c];
  const std::int64_t labels = channels == 0 ? 0 : volume(spec.out) / channels;
  if (spec.phase == KernelPhase::forward) {
    operands.x().integers(labels).parameters(true).doubles(1, true);
  } else {
    operands.parameters().integers(labels).dx();
  }
}

void add_mean_squared_error(const KernelSpec& spec, Operands& operands) {
  if (spec.phase == KernelPhase::forward) {
    operands.x().parameters().parameters(true).doubles(1, true);
  } else {
    operands.parameters().dx();
  }
}

void add_loss(const KernelSpec& spec, Operands& operands) {
  spec.kind == KernelKind::mean_squared_error ? add_mean_squared_error(spec, operands)
                                              : add_softmax_cross_entropy(spec, operands);
}

void add_update(const KernelSpec& spec, Operands& operands) {
  operands.parameters(true).parameters().parameters(true);
  if (has_weight_copies(spec.precision)) operands.y();
}

// Backwards a ReLU reads its output, which is of the shape of dy, a local response norm its input.
void add_activation(const KernelSpec& spec, Operands& operands) {
  if (spec.phase == KernelPhase::forward) {
    operands.x().y();
  } else if (spec.kind == KernelKind::relu) {
    operands.dy().dy().dx();
  } else {
    operands.x().dy().dx();
  }
}

}  // namespace

std::vector<KernelOperand> kernel_operands(const KernelSpec& spec) {
  Operands operands(spec);
  const bool is_forward = spec.phase == KernelPhase::forward;
  switch (spec.kind) {
    case KernelKind::convolution:
      add_convolution(spec, operands);
      break;
    case KernelKind::bias:
      is_forward ? operands.x().by_channel().y() : operands.dy().by_channel(true);
      break;
    case KernelKind::batch_norm:
      add_batch_norm(spec, operands);
      break;
    case KernelKind::relu:
    case KernelKind::local_response_norm:
      add_activation(spec, operands);
      break;
    case KernelKind::pooling:
      add_pooling(spec, operands);
      break;
    case KernelKind::upsample:
    case KernelKind::interpolate:
    case KernelKind::channel_shuffle:
    case KernelKind::dropout:
      is_forward ? operands.x().y() : operands.dy().dx();
      break;
    case KernelKind::add:
    case KernelKind::accumulate:
      is_forward ? operands.x().x().y() : operands.dy().dx();
      break;
    case KernelKind::softmax_cross_entropy:
    case KernelKind::mean_squared_error:
      add_loss(spec, operands);
      break;
    case KernelKind::sgd:
      add_update(spec, operands);
      break;
  }
  return std::move(operands).list();
}

}  // namespace cnnplan
