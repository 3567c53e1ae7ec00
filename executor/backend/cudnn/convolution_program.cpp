// Runs the engine, and the copies, the bias and the ReLU around it.
#include "executor/backend/cudnn/convolution_program.hpp"

#include <utility>

#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/check.hpp"
#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::int64_t part_alignment = 256;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + part_alignment - 1) / part_alignment * part_alignment;
}

void* memory_of(TensorId id, const ConvolutionOperands& operands) {
  switch (id) {
    case TensorId::x:
      return operands.x;
    case TensorId::w:
      return operands.w;
    case TensorId::y:
      return operands.y;
    case TensorId::channel_sums:
      return operands.channel_sums;
    case TensorId::channel_squares:
      return operands.channel_squares;
    default:
      return operands.bias;
  }
}

}  // namespace

ConvolutionProgram::ConvolutionProgram(Library& library,
                                       const KernelSpec& spec,
                                       const ConvolutionVariant& variant,
                                       const ConvolutionGraph& graph,
                                       const Engine& engine)
    : library_(library),
      spec_(spec),
      view_(engine_view(spec, variant)),
      variant_(variant),
      engine_(engine),
      tensors_(graph.tensors),
      plan_(make_execution_plan(EngineTarget(library.handle()), graph.graph, engine)) {
  const std::int64_t element_bytes = activation_bytes(spec.precision);
  layout_.engine_bytes = aligned(plan_.get_integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  if (variant.padded) layout_.buffer_bytes = aligned(volume(view_.in) * element_bytes);
  if (variant.narrow) {
    const std::int64_t elements = variant.fused ? spec.out[Dim::c] : weight_volume(spec);
    layout_.narrow_bytes = aligned(elements * element_bytes);
  }
  if (spec.bias && spec.phase == KernelPhase::backward_filter) {
    layout_.sums_bytes = aligned(bias_gradient_workspace_bytes(spec.out));
  }
  if (variant.statistics) {
    layout_.floats_bytes = aligned(spec.out[Dim::c] * bytes_of(ElementType::fp32));
    layout_.sums_bytes = aligned(statistics_workspace_bytes(spec.out[Dim::c]));
  }
}

std::int64_t ConvolutionProgram::workspace_bytes() const {
  return layout_.engine_bytes + layout_.buffer_bytes + layout_.narrow_bytes +
         2 * layout_.floats_bytes + layout_.sums_bytes;
}

void ConvolutionProgram::run(const ConvolutionOperands& operands) {
  std::byte* const engine = library_.workspace().at_least(workspace_bytes());
  std::byte* const buffer = engine + layout_.engine_bytes;
  std::byte* const narrow = buffer + layout_.buffer_bytes;
  std::byte* const floats = narrow + layout_.narrow_bytes;
  std::byte* const sums = floats + 2 * layout_.floats_bytes;
  ConvolutionOperands seen = operands;
  seen.channel_sums = floats;
  seen.channel_squares = floats + layout_.floats_bytes;
  if (variant_.padded) {
    seen.x = buffer;
    if (spec_.phase != KernelPhase::backward_data) copy_input(operands.x, buffer, true);
  }
  cudaStream_t stream = library_.device().stream();
  if (variant_.narrow && variant_.fused) {
    seen.bias = narrow;
    narrow_values(spec_.precision,
                  static_cast<const float*>(operands.bias),
                  narrow,
                  spec_.out[Dim::c],
                  stream);
  }
  const bool widens = variant_.narrow && spec_.phase == KernelPhase::backward_filter;
  if (widens) seen.w = narrow;
  execute(seen, engine);
  if (variant_.padded && spec_.phase == KernelPhase::backward_data) {
    copy_input(operands.x, buffer, false);
  }
  if (widens) {
    widen_values(
        spec_.precision, narrow, static_cast<float*>(operands.w), weight_volume(spec_), stream);
  }
  if (spec_.phase == KernelPhase::forward && !variant_.fused) add_bias_and_clip(operands);
  if (spec_.phase == KernelPhase::backward_filter && spec_.bias) reduce_bias(operands, sums);
  if (variant_.statistics) complete_sums(seen, sums);
}

void ConvolutionProgram::copy_input(void* x, void* buffer, bool into_buffer) {
  const ElementType element = activation_element(spec_.precision);
  const Box inside = input_in_buffer(spec_, view_);
  const TensorView in_buffer = view_of(buffer, whole(view_.in), inside, bytes_of(element));
  const TensorView alone = view_of(x, inside, inside, bytes_of(element));
  if (into_buffer) {
    library_.device().clear(buffer, volume(view_.in) * bytes_of(element));
    library_.device().copy(make_box_copy(in_buffer, alone, element));
  } else {
    library_.device().copy(make_box_copy(alone, in_buffer, element));
  }
}

void ConvolutionProgram::execute(const ConvolutionOperands& operands, void* workspace) {
  if (!is_packed_ || packed_operands_ != operands || packed_workspace_ != workspace) {
    std::vector<std::int64_t> ids;
    std::vector<void*> pointers;
    for (TensorId id : tensors_) {
      ids.push_back(static_cast<std::int64_t>(id));
      pointers.push_back(memory_of(id, operands));
    }
    pack_ = Descriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack_.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids)
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointers)
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, std::span<void* const>(&workspace, 1))
        .finalize();
    packed_operands_ = operands;
    packed_workspace_ = workspace;
    is_packed_ = true;
  }
  check_cudnn(
      cudnnBackendExecute(library_.handle_in_selected_queue(), plan_.handle(), pack_.handle()),
      "cudnnBackendExecute");
}

TensorView ConvolutionProgram::view_of_bias(const ConvolutionOperands& operands) const {
  const Box channels = whole({{1, spec_.out[Dim::c], 1, 1, 1}});
  return view_of(operands.bias, channels, channels, parameter_bytes(spec_.precision));
}

TensorView ConvolutionProgram::view_of_y(const ConvolutionOperands& operands) const {
  const Box outputs = whole(spec_.out);
  return view_of(operands.y, outputs, outputs, activation_bytes(spec_.precision));
}

void ConvolutionProgram::add_bias_and_clip(const ConvolutionOperands& operands) {
  finish_convolution(
      spec_, view_of_bias(operands), view_of_y(operands), library_.device().stream());
}

void ConvolutionProgram::reduce_bias(const ConvolutionOperands& operands, void* sums) {
  bias_gradient(spec_.precision,
                view_of_y(operands),
                view_of_bias(operands),
                {sums, library_.workspace().arrived(), library_.device().stream()});
}

void ConvolutionProgram::complete_sums(const ConvolutionOperands& seen, void* sums) {
  complete_statistics(spec_.precision,
                      view_of_y(seen),
                      {static_cast<const float*>(seen.channel_sums),
                       static_cast<const float*>(seen.channel_squares)},
                      static_cast<double*>(seen.sums),
                      {sums, library_.workspace().arrived(), library_.device().stream()});
}

}  // namespace cnnplan::cudnn
