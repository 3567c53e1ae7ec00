// Holds the table of kernels: a new kind of kernel gets its row here.
#include "planner/kernel/kernel_kinds.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "planner/kernel/kind_table.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {
namespace {

using enum OperandRole;
using enum KernelPhase;

constexpr OperandRow in(OperandRole role, bool (*is_there)(const KernelSpec&) = nullptr) {
  return {.role = role, .is_there = is_there};
}

constexpr OperandRow out(OperandRole role, bool (*is_there)(const KernelSpec&) = nullptr) {
  return {.role = role, .written = true, .is_there = is_there};
}

bool has_bias(const KernelSpec& spec) {
  return spec.bias;
}

bool has_relu(const KernelSpec& spec) {
  return spec.relu;
}

bool has_residual(const KernelSpec& spec) {
  return spec.residual;
}

bool has_second_dy(const KernelSpec& spec) {
  return spec.second_dy;
}

bool takes_maxima(const KernelSpec& spec) {
  return spec.pooling == PoolingMode::max;
}

bool has_copies(const KernelSpec& spec) {
  return has_weight_copies(spec.precision);
}

template <bool (*... are_there)(const KernelSpec&)>
double count(const KernelSpec& spec) {
  return (0.0 + ... + (are_there(spec) ? 1.0 : 0.0));
}

// These operands belong to several kinds that make one block from another.
constexpr std::array x_to_y{in(x), out(y)};
constexpr std::array dy_to_dx{in(dy), out(dx)};
constexpr std::array x_dy_to_dx{in(x), in(dy), out(dx)};
constexpr std::array a_b_to_y{in(a), in(b), out(y)};

// y = relu?(x * weight + bias?). The weight is the copy where the precision has copies.
constexpr std::array convolution_forward{in(x), in(weight), in(bias, has_bias), out(y)};
constexpr std::array convolution_data{in(dy), in(weight), out(dx)};
constexpr std::array convolution_filter{in(x), in(dy), out(dweight), out(dbias, has_bias)};
constexpr std::array convolution_phases{PhaseRow{forward, convolution_forward},
                                        PhaseRow{backward_data, convolution_data},
                                        PhaseRow{backward_filter, convolution_filter}};

// y = x + bias, and y may be x. dbias is the sum of dy over its positions.
constexpr std::array bias_forward{in(x), in(bias), out(y)};
constexpr std::array bias_filter{in(dy), out(dbias)};
constexpr std::array bias_phases{PhaseRow{forward, bias_forward, 2.0},
                                 PhaseRow{backward_filter, bias_filter, 1.0}};

// y = relu?(normalised x + residual?). The running values are updated.
// dz = dy where y > 0 with a ReLU, else dy. With two error signals, their sum takes the place of
// dy, rounded as `accumulate` rounds it, and dz may be written over either signal. gradient_sums
// are local, and dscale and dshift are their rounded copies. In backward_data, dz is dy where the
// kernel has no residual. Where the mask follows from x, a backend may compute it with scale and
// shift instead of reading y. Where there is a mask, a backend may write it, and then read it
// instead of y. The mask of an inference has no elements.
constexpr std::array batch_norm_sums{in(x), out(sums)};
constexpr std::array batch_norm_forward{in(x),
                                        in(sums),
                                        in(scale),
                                        in(shift),
                                        out(running_mean),
                                        out(running_variance),
                                        in(residual, has_residual),
                                        out(y),
                                        out(mask, has_mask)};
constexpr std::array batch_norm_gradient_sums{in(x),
                                              in(dy),
                                              in(second_dy, has_second_dy),
                                              in(y, has_relu),
                                              in(sums),
                                              in(scale, masks),
                                              in(shift, masks),
                                              out(gradient_sums),
                                              out(dscale),
                                              out(dshift),
                                              out(dz, keeps_dz),
                                              in(mask, has_mask)};
constexpr std::array batch_norm_data{
    in(x), in(dz), in(y, masks), in(sums), in(gradient_sums), in(scale), in(shift, masks), out(dx)};
constexpr std::array batch_norm_phases{
    PhaseRow{forward_statistics, batch_norm_sums, 1.0},
    PhaseRow{forward, batch_norm_forward, 2.0, count<has_residual>},
    PhaseRow{backward_statistics,
             batch_norm_gradient_sums,
             2.0,
             count<has_relu, has_second_dy, keeps_dz>},
    PhaseRow{backward_data, batch_norm_data, 3.0, count<masks>}};

// y = min(max(x, 0), relu_max), dx = dy where 0 < y < relu_max.
constexpr std::array y_dy_to_dx{in(y), in(dy), out(dx)};
constexpr std::array relu_phases{PhaseRow{forward, x_to_y, 2.0},
                                 PhaseRow{backward_data, y_dy_to_dx, 3.0}};

// Max pooling keeps where its maxima were.
constexpr std::array pooling_forward{in(x), out(y), out(index, takes_maxima)};
constexpr std::array pooling_data{in(index, takes_maxima), in(dy), out(dx)};
constexpr std::array pooling_phases{PhaseRow{forward, pooling_forward, 2.0},
                                    PhaseRow{backward_data, pooling_data, 3.0}};

// An upsampling repeats inputs, so dx is the sum of the repetitions. An interpolation is linear, as
// the constants `axes` say.
constexpr std::array upsample_phases{PhaseRow{forward, x_to_y}, PhaseRow{backward_data, dy_to_dx}};

// Channel j * groups + i of y is channel i * (C / groups) + j of x.
constexpr std::array channel_shuffle_phases{PhaseRow{forward, x_to_y, 2.0},
                                            PhaseRow{backward_data, dy_to_dx, 2.0}};

// y = x s^-response_beta, s = response_k + response_scale * sum of squares of the local_size
// channels around x, (local_size - 1) / 2 of them before it.
constexpr std::array local_response_norm_phases{PhaseRow{forward, x_to_y, 2.0},
                                                PhaseRow{backward_data, x_dy_to_dx, 3.0}};

// y = relu?(a + add_scale b). dx = add_scale dy is the error signal of b.
constexpr std::array add_phases{PhaseRow{forward, a_b_to_y, 3.0},
                                PhaseRow{backward_data, dy_to_dx, 2.0}};
// y = a + b, and y may be a or b.
constexpr std::array accumulate_phases{PhaseRow{forward, a_b_to_y, 3.0}};

// Backward, profiles and prices count a third pass, which the kernel does not make.
constexpr std::array dropout_phases{PhaseRow{forward, x_to_y, 2.0},
                                    PhaseRow{backward_data, dy_to_dx, 3.0}};

// y = x where x > 0, else slope x. dx = dy where y > 0, else slope dy.
constexpr std::array leaky_relu_phases{PhaseRow{forward, x_to_y, 2.0},
                                       PhaseRow{backward_data, y_dy_to_dx, 3.0}};

// This is an operator that no backend has. With two inputs, the first one is the residual, and dz
// is its gradient. The second one is x, in the shape `in`.
constexpr std::array pointwise_forward{in(residual, has_residual), in(x), out(y)};
constexpr std::array pointwise_data{
    in(residual, has_residual), in(x), in(dy), out(dz, has_residual), out(dx)};
constexpr std::array pointwise_phases{
    PhaseRow{forward, pointwise_forward, 2.0, count<has_residual>},
    PhaseRow{backward_data, pointwise_data, 3.0, count<has_residual, has_residual>}};

// The loss is the sum over the block / loss_count. dx is the gradient of the mean over loss_count
// positions, times the loss scale of the step. Backward, a third pass is counted here, too.
constexpr std::array softmax_forward{in(x), in(labels), out(probabilities), out(loss)};
constexpr std::array softmax_data{in(probabilities), in(labels), out(dx)};
constexpr std::array softmax_phases{PhaseRow{forward, softmax_forward, 2.0},
                                    PhaseRow{backward_data, softmax_data, 3.0}};

// differences = x - targets, and the loss is the sum of their squares / loss_count. dx is the
// gradient of the mean over loss_count elements, times the loss scale of the step.
constexpr std::array squared_error_forward{in(x), in(targets), out(differences), out(loss)};
constexpr std::array squared_error_data{in(differences), out(dx)};
constexpr std::array squared_error_phases{PhaseRow{forward, squared_error_forward, 3.0},
                                          PhaseRow{backward_data, squared_error_data, 2.0}};

// Parameters and momentum are read and written.
constexpr std::array sgd_update{
    out(parameters), in(gradient), out(momentum), out(copies, has_copies)};
constexpr std::array sgd_phases{PhaseRow{update, sgd_update, 5.0}};

// A row that names no work has one operation per element and pass, over activations alone.
constexpr KindTable<KernelKindRow> kinds{{{
    {.kind = KernelKind::convolution,
     .name = "convolution",
     .phases = convolution_phases,
     .has_window = true,
     .flops = convolution_flops,
     .bytes = convolution_bytes},
    {.kind = KernelKind::bias, .name = "bias", .phases = bias_phases},
    {.kind = KernelKind::batch_norm,
     .name = "batch_norm",
     .phases = batch_norm_phases,
     .unmoved_by_gpu = batch_norm_unmoved_by_gpu},
    {.kind = KernelKind::relu, .name = "relu", .phases = relu_phases},
    {.kind = KernelKind::pooling,
     .name = "pooling",
     .phases = pooling_phases,
     .has_window = true,
     .bytes = pooling_bytes,
     .unmoved_by_gpu = pooling_unmoved_by_gpu},
    {.kind = KernelKind::upsample,
     .name = "upsample",
     .phases = upsample_phases,
     .has_window = true,
     .flops = upsample_flops,
     .bytes = block_bytes},
    {.kind = KernelKind::interpolate,
     .name = "interpolate",
     .phases = upsample_phases,
     .has_window = true,
     .flops = interpolate_flops,
     .bytes = block_bytes},
    {.kind = KernelKind::channel_shuffle,
     .name = "channel_shuffle",
     .phases = channel_shuffle_phases},
    {.kind = KernelKind::local_response_norm,
     .name = "local_response_norm",
     .phases = local_response_norm_phases,
     .flops = local_response_norm_flops},
    {.kind = KernelKind::add, .name = "add", .phases = add_phases},
    {.kind = KernelKind::dropout,
     .name = "dropout",
     .phases = dropout_phases,
     .unmoved_by_gpu = third_pass_bytes},
    {.kind = KernelKind::leaky_relu, .name = "leaky_relu", .phases = leaky_relu_phases},
    {.kind = KernelKind::pointwise,
     .name = "pointwise",
     .phases = pointwise_phases,
     .bytes = pointwise_bytes},
    {.kind = KernelKind::softmax_cross_entropy,
     .name = "softmax_cross_entropy",
     .phases = softmax_phases,
     .bytes = softmax_bytes,
     .unmoved_by_gpu = third_pass_bytes},
    {.kind = KernelKind::mean_squared_error,
     .name = "mean_squared_error",
     .phases = squared_error_phases,
     .bytes = squared_error_bytes},
    {.kind = KernelKind::accumulate, .name = "accumulate", .phases = accumulate_phases},
    {.kind = KernelKind::sgd, .name = "sgd", .phases = sgd_phases, .bytes = sgd_bytes},
}}};

std::span<const PhaseRow>::iterator find_phase(KernelKind kind, KernelPhase phase) {
  const std::span<const PhaseRow> phases = kinds[kind].phases;
  return std::find_if(
      phases.begin(), phases.end(), [phase](const PhaseRow& row) { return row.phase == phase; });
}

}  // namespace

const KernelKindRow& row_of(KernelKind kind) {
  return kinds[kind];
}

bool has_phase(KernelKind kind, KernelPhase phase) {
  return find_phase(kind, phase) != kinds[kind].phases.end();
}

const PhaseRow& phase_of(const KernelSpec& spec) {
  const auto found = find_phase(spec.kind, spec.phase);
  if (found != kinds[spec.kind].phases.end()) return *found;
  throw std::logic_error(std::string(to_text(spec.kind)) + " has no phase " +
                         std::string(to_text(spec.phase)));
}

}  // namespace cnnplan
