// Computes convolutions by oneDNN's primitives. Weights and activations are reordered where that
// pays.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/convolution/convolution_faults.hpp"
#include "executor/backend/onednn/denormals.hpp"
#include "executor/backend/onednn/formats.hpp"
#include "executor/backend/onednn/weight_format.hpp"

namespace cnnplan::onednn {
namespace {

using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;
using Format = dnnl::memory::desc;
using Role = OperandRole;

// A forward kernel on reordered weights saves at least 10 % of the time with AVX-512, and up to
// half with AVX2. From about this many output positions on, it saves more than the reorder takes.
std::int64_t reorder_from_positions() {
  return has_avx2_alone() ? 80 : 400;
}

// With AVX2, a gradient of inputs with 128 to 256 channels and at least twice as many filters gains
// by reordered weights. It saves 4 to 10 % at 1,568 to 25,088 positions, and nothing at 196. Other
// gradients took longer.
bool prefers_reordered_gradient(const KernelSpec& spec, std::int64_t positions) {
  constexpr std::int64_t least_channels = 128;
  constexpr std::int64_t most_channels = 256;
  constexpr std::int64_t least_positions = 1000;
  const std::int64_t channels = spec.in[Dim::c];
  return has_avx2_alone() && spec.phase == KernelPhase::backward_data &&
         channels >= least_channels && channels <= most_channels &&
         spec.out[Dim::c] >= 2 * channels && positions >= least_positions;
}

// Holds the formats that a primitive is asked for; `any` leaves them to oneDNN.
struct Formats {
  Format x, weight, bias, y;
};

// Joins a created primitive with the formats that it takes.
struct Created {
  dnnl::primitive primitive;
  std::string implementation;
  Format x, weight, y;
};

dnnl::algorithm algorithm_of(const KernelSpec& spec) {
  return spec.algorithm == KernelAlgorithm::winograd ? dnnl::algorithm::convolution_winograd
                                                     : dnnl::algorithm::convolution_direct;
}

Format bias_format(const KernelSpec& spec) {
  if (!spec.bias || spec.phase != KernelPhase::forward) return Format();
  return {{spec.out[Dim::c]}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a};
}

Format with_any_tag(const Format& format) {
  return {format.dims(), format.data_type(), dnnl::memory::format_tag::any};
}

dnnl::primitive_attr attributes_of(const KernelSpec& spec) {
  dnnl::primitive_attr result = attributes();
  if (!spec.relu) return result;
  // With a slope of 0, oneDNN takes a maximum, which turns not-a-number into 0. With another slope,
  // it multiplies, and not-a-number stays. Kernels run in threads that take this slope for 0.
  constexpr float least_slope = std::numeric_limits<float>::denorm_min();
  dnnl::post_ops behind;
  behind.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, least_slope, 0.0F);
  result.set_post_ops(behind);
  return result;
}

convolution_forward::primitive_desc describe_forward(const Library& library,
                                                     const KernelSpec& spec,
                                                     const Formats& formats) {
  const WindowLists window = window_lists(spec);
  const convolution_forward::desc description(dnnl::prop_kind::forward_training,
                                              algorithm_of(spec),
                                              formats.x,
                                              formats.weight,
                                              formats.bias,
                                              formats.y,
                                              window.stride,
                                              window.dilation,
                                              window.padding_begin,
                                              window.padding_end);
  return {description, attributes_of(spec), library.engine};
}

Created create_forward(const Library& library, const KernelSpec& spec, const Formats& formats) {
  const KeptDenormals kept;  // else oneDNN would take the slope of a ReLU for 0
  const auto description = describe_forward(library, spec, formats);
  return {convolution_forward(description),
          description.impl_info_str(),
          description.src_desc(),
          description.weights_desc(),
          description.dst_desc()};
}

// Returns false where all implementations are wrong.
template <typename Description>
bool skip_wrong(Description& description, const KernelSpec& spec) {
  while (is_wrong(description.impl_info_str(), spec)) {
    if (!description.next_impl()) return false;
  }
  return true;
}

std::optional<Created> create_backward_data(const Library& library,
                                            const KernelSpec& spec,
                                            const Formats& formats) {
  const WindowLists window = window_lists(spec);
  Formats hint = formats;
  hint.weight = any_weight(spec, activation_type(spec.precision));
  // Outlives the walk over implementations, which refers to it.
  const auto forward = describe_forward(library, spec, hint);
  const convolution_backward_data::desc wanted(algorithm_of(spec),
                                               formats.x,
                                               formats.weight,
                                               formats.y,
                                               window.stride,
                                               window.dilation,
                                               window.padding_begin,
                                               window.padding_end);
  convolution_backward_data::primitive_desc description(
      wanted, attributes(), library.engine, forward);
  if (!skip_wrong(description, spec)) return std::nullopt;
  return Created{convolution_backward_data(description),
                 description.impl_info_str(),
                 description.diff_src_desc(),
                 description.weights_desc(),
                 description.diff_dst_desc()};
}

std::optional<Created> create_backward_filter(const Library& library,
                                              const KernelSpec& spec,
                                              const Formats& formats) {
  const WindowLists window = window_lists(spec);
  Formats hint = formats;
  hint.weight = any_weight(spec, activation_type(spec.precision));
  // Outlives the walk over implementations, which refers to it.
  const auto forward = describe_forward(library, spec, hint);
  const convolution_backward_weights::desc wanted(algorithm_of(spec),
                                                  formats.x,
                                                  formats.weight,
                                                  formats.y,
                                                  window.stride,
                                                  window.dilation,
                                                  window.padding_begin,
                                                  window.padding_end);
  convolution_backward_weights::primitive_desc description(
      wanted, attributes(), library.engine, forward);
  if (!skip_wrong(description, spec)) return std::nullopt;
  return Created{convolution_backward_weights(description),
                 description.impl_info_str(),
                 description.src_desc(),
                 description.diff_weights_desc(),
                 description.diff_dst_desc()};
}

std::optional<Created> create_in_phase(const Library& library,
                                       const KernelSpec& spec,
                                       const Formats& formats) {
  switch (spec.phase) {
    case KernelPhase::forward:
      return create_forward(library, spec, formats);
    case KernelPhase::backward_data:
      return create_backward_data(library, spec, formats);
    default:
      return create_backward_filter(library, spec, formats);
  }
}

// Returns nothing where oneDNN refuses the convolution, or has only slow or wrong implementations.
std::optional<Created> create(const Library& library,
                              const KernelSpec& spec,
                              const Formats& formats) {
  try {
    std::optional<Created> created = create_in_phase(library, spec, formats);
    if (created && !is_slow(created->implementation)) return created;
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
  }
  return std::nullopt;
}

// Copies of weights are read, and gradients have the element of parameters.
dnnl::memory::data_type weight_type(const KernelSpec& spec) {
  return spec.phase == KernelPhase::backward_filter ? dnnl::memory::data_type::f32
                                                    : activation_type(spec.precision);
}

// True where a kernel on the stored weights is at least as fast as one that needs a reorder.
// Kernels of 16-bit factors want two of them side by side, and their weights are half as much to
// reorder.
bool prefers_stored_weight(const KernelSpec& spec) {
  const WeightFormat format = weight_format(spec);
  const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
  const bool is_pointwise = spec.window == Window{} && format == WeightFormat::rows;
  if (spec.algorithm != KernelAlgorithm::direct || jit_misreads(spec)) return false;
  if (!is_pointwise && format != WeightFormat::blocked) return false;
  if (weight_type(spec) != dnnl::memory::data_type::f32) return false;
  if (spec.phase == KernelPhase::forward) return positions < reorder_from_positions();
  if (is_pointwise) return !prefers_reordered_gradient(spec, positions);
  return spec.phase == KernelPhase::backward_filter;
}

std::optional<Created> choose(const Library& library, const KernelSpec& spec, Formats formats) {
  if (prefers_stored_weight(spec)) {
    if (auto created = create(library, spec, formats)) return created;
  }
  formats.weight = any_weight(spec, formats.weight.data_type());
  return create(library, spec, formats);
}

Formats in_any_order(Formats formats) {
  formats.x = with_any_tag(formats.x);
  formats.y = with_any_tag(formats.y);
  return formats;
}

// Returns true where a kernel for AVX2 on blocks of channels saves more than reordering the
// activations takes: for windows over many channels.
bool prefers_blocks(const std::string& implementation, const KernelSpec& spec) {
  if (spec.precision != Precision::fp32 || spec.groups > 1) return false;
  return implementation == "jit:avx2" && spec.window != Window{} &&
         std::min(spec.in[Dim::c], spec.out[Dim::c]) >= many_window_channels;
}

// Returns the formats of the operands as they are stored.
Formats formats_of(const KernelSpec& spec) {
  return {.x = activation_format(spec, spec.in),
          .weight = stored_weight(spec, weight_type(spec)),
          .bias = bias_format(spec),
          .y = activation_format(spec, spec.out)};
}

// The few convolutions for which oneDNN has only slow code in bf16 run in fp32, between
// conversions.
std::optional<Created> choose_element(const Library& library,
                                      const KernelSpec& spec,
                                      const Formats& formats) {
  auto created = choose(library, spec, formats);
  if (created || spec.precision == Precision::fp32) return created;
  KernelSpec wide = spec;
  wide.precision = Precision::fp32;
  return choose(library, wide, formats_of(wide));
}

std::vector<Port> ports_of(const KernelSpec& spec, const Formats& outside, const Created& inside) {
  std::vector<Port> ports;
  if (spec.phase == KernelPhase::forward) {
    ports = {{Role::x, DNNL_ARG_SRC, outside.x, inside.x, false},
             {Role::weight, DNNL_ARG_WEIGHTS, outside.weight, inside.weight, false}};
    if (spec.bias) {
      ports.push_back({Role::bias, DNNL_ARG_BIAS, outside.bias, outside.bias, false});
    }
    ports.push_back({Role::y, DNNL_ARG_DST, outside.y, inside.y, true});
  } else if (spec.phase == KernelPhase::backward_data) {
    ports = {{Role::dy, DNNL_ARG_DIFF_DST, outside.y, inside.y, false},
             {Role::weight, DNNL_ARG_WEIGHTS, outside.weight, inside.weight, false},
             {Role::dx, DNNL_ARG_DIFF_SRC, outside.x, inside.x, true}};
  } else {
    // Winograd's filter gradient is written with streaming stores.
    const bool streams = spec.algorithm == KernelAlgorithm::winograd;
    ports = {{Role::x, DNNL_ARG_SRC, outside.x, inside.x, false},
             {Role::dy, DNNL_ARG_DIFF_DST, outside.y, inside.y, false},
             {Role::dweight, DNNL_ARG_DIFF_WEIGHTS, outside.weight, inside.weight, true, streams}};
  }
  return ports;
}

}  // namespace

std::unique_ptr<Kernel> find_convolution_primitive(const Library& library, const KernelSpec& spec) {
  return checked_call(spec, [&]() -> std::unique_ptr<Kernel> {
    const Formats outside = formats_of(spec);
    Formats wanted = outside;
    if (spec.algorithm == KernelAlgorithm::winograd) wanted = in_any_order(outside);
    auto created = choose_element(library, spec, wanted);
    if (created && prefers_blocks(created->implementation, spec)) {
      if (auto blocked = choose(library, spec, in_any_order(outside))) created = blocked;
    }
    if (!created) return nullptr;
    return std::make_unique<PrimitiveKernel>(library,
                                             spec,
                                             created->primitive,
                                             created->implementation,
                                             ports_of(spec, outside, *created));
  });
}

std::unique_ptr<Kernel> make_convolution_primitive(const Library& library, const KernelSpec& spec) {
  auto kernel = find_convolution_primitive(library, spec);
  if (!kernel) throw BackendError("onednn: no fast and right kernel of " + to_text(spec));
  return kernel;
}

}  // namespace cnnplan::onednn
