// Computes poolings by oneDNN's primitives. The index operand of max pooling keeps the data of the
// backward pass in oneDNN's own format.
#include <algorithm>
#include <string>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/dilated_pooling.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/formats.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/operands_by_role.hpp"

namespace cnnplan::onednn {
namespace {

using dnnl::pooling_v2_backward;
using dnnl::pooling_v2_forward;

dnnl::algorithm algorithm_of(const KernelSpec& spec) {
  if (spec.pooling == PoolingMode::max) return dnnl::algorithm::pooling_max;
  return spec.count_include_padding ? dnnl::algorithm::pooling_avg_include_padding
                                    : dnnl::algorithm::pooling_avg_exclude_padding;
}

pooling_v2_forward::primitive_desc describe_forward(const Library& library,
                                                    const KernelSpec& spec) {
  const WindowLists window = window_lists(spec);
  const pooling_v2_forward::desc description(dnnl::prop_kind::forward_training,
                                             algorithm_of(spec),
                                             activation_format(spec, spec.in),
                                             activation_format(spec, spec.out),
                                             window.stride,
                                             window.kernel,
                                             window.dilation,
                                             window.padding_begin,
                                             window.padding_end);
  return {description, attributes(), library.engine};
}

pooling_v2_backward::primitive_desc describe_backward(const Library& library,
                                                      const KernelSpec& spec) {
  const WindowLists window = window_lists(spec);
  const pooling_v2_backward::desc description(algorithm_of(spec),
                                              activation_format(spec, spec.in),
                                              activation_format(spec, spec.out),
                                              window.stride,
                                              window.kernel,
                                              window.dilation,
                                              window.padding_begin,
                                              window.padding_end);
  return {description, attributes(), library.engine, describe_forward(library, spec)};
}

Port same(OperandRole role, int id, const dnnl::memory::desc& format, bool written) {
  return {.role = role, .id = id, .outside = format, .inside = format, .written = written};
}

// The index has as many 32-bit integers as y has elements.
Port index_port(const KernelSpec& spec, const dnnl::memory::desc& workspace, bool written) {
  const auto available = static_cast<std::size_t>(volume(spec.out)) * sizeof(std::int32_t);
  if (workspace.get_size() > available) {
    throw BackendError("onednn: the index of a maximum takes more than 4 bytes: " + to_text(spec));
  }
  return same(OperandRole::index, DNNL_ARG_WORKSPACE, workspace, written);
}

// Runs max pooling by a primitive, which takes the maximum of the numbers only.
class MaximumKernel final : public Kernel {
 public:
  MaximumKernel(const KernelSpec& spec, std::unique_ptr<Kernel> primitive)
      : spec_(spec), positions_(spec), primitive_(std::move(primitive)) {}
  void run(Operands operands, const StepState& state) override {
    primitive_->run(operands, state);
    const OperandsByRole given(operands, positions_);
    spread_not_a_number(spec_, given[OperandRole::x], given[OperandRole::y]);
  }
  std::int64_t workspace_bytes() const override { return primitive_->workspace_bytes(); }
  std::string implementation() const override { return primitive_->implementation(); }

 private:
  KernelSpec spec_;
  OperandPositions positions_;
  std::unique_ptr<Kernel> primitive_;
};

std::unique_ptr<Kernel> make_forward(const Library& library, const KernelSpec& spec) {
  const auto description = describe_forward(library, spec);
  require_full_speed(description.impl_info_str(), spec);
  std::vector<Port> ports{same(OperandRole::x, DNNL_ARG_SRC, description.src_desc(), false),
                          same(OperandRole::y, DNNL_ARG_DST, description.dst_desc(), true)};
  if (spec.pooling == PoolingMode::max) {
    ports.push_back(index_port(spec, description.workspace_desc(), true));
  }
  auto primitive = std::make_unique<PrimitiveKernel>(
      library, spec, pooling_v2_forward(description), description.impl_info_str(), ports);
  if (spec.pooling != PoolingMode::max) return primitive;
  return std::make_unique<MaximumKernel>(spec, std::move(primitive));
}

std::unique_ptr<Kernel> make_backward(const Library& library, const KernelSpec& spec) {
  const auto description = describe_backward(library, spec);
  require_full_speed(description.impl_info_str(), spec);
  std::vector<Port> ports{
      same(OperandRole::dy, DNNL_ARG_DIFF_DST, description.diff_dst_desc(), false),
      same(OperandRole::dx, DNNL_ARG_DIFF_SRC, description.diff_src_desc(), true)};
  if (spec.pooling == PoolingMode::max) {
    ports.push_back(index_port(spec, description.workspace_desc(), false));
  }
  return std::make_unique<PrimitiveKernel>(
      library, spec, pooling_v2_backward(description), description.impl_info_str(), ports);
}

// A block without outputs passes no gradient on.
std::unique_ptr<Kernel> make_empty(const KernelSpec& spec) {
  return std::make_unique<FunctionKernel>(
      "empty", spec, [=](const OperandsByRole& operands, const StepState&) {
        const TensorView& written = operands[block_written(spec.phase)];
        with_activation(spec.precision, [&]<typename T>(T) {
          std::fill_n(written.as<T>(), volume(written.shape()), T(0.0F));
        });
      });
}

// In bf16, jit kernels of oneDNN 2.6.3 count the taps of such windows in bf16, which cannot hold
// 257.
bool jit_miscounts(const KernelSpec& spec) {
  constexpr std::int64_t most_taps = 255;
  std::int64_t taps = 1;
  for (const WindowDim& dim : spec.window.dims) taps *= dim.kernel;
  return spec.precision == Precision::bf16 && spec.pooling == PoolingMode::max && taps > most_taps;
}

}  // namespace

std::unique_ptr<Kernel> make_pooling(const Library& library,
                                     const KernelSpec& spec,
                                     const KernelConstants&) {
  if (volume(spec.in) * volume(spec.out) == 0) return make_empty(spec);
  if (is_dilated(spec.window) || jit_miscounts(spec) || sums_many_terms(spec)) {
    return make_dilated_pooling(spec);
  }
  return checked_call(spec, [&] {
    return spec.phase == KernelPhase::forward ? make_forward(library, spec)
                                              : make_backward(library, spec);
  });
}

}  // namespace cnnplan::onednn
