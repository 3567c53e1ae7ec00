// Convolution kernels: a program, or what is left of one where a block is empty.
#include "executor/backend/cudnn/engine_trial.hpp"
#include "executor/backend/cudnn/kernels.hpp"
#include "executor/backend/function_kernel.hpp"

namespace cnnplan::cudnn {
namespace {

using Operands = std::span<const TensorView>;

std::size_t operand_count(const KernelSpec& spec) {
  return spec.bias && spec.phase != KernelPhase::backward_data ? 4 : 3;
}

ConvolutionOperands in_order_of_graph(const KernelSpec& spec, Operands operands) {
  const bool has_bias = operands.size() == 4;
  switch (spec.phase) {
    case KernelPhase::forward:
      return {.x = operands[0].data,
              .w = operands[1].data,
              .bias = has_bias ? operands[2].data : nullptr,
              .y = operands.back().data};
    case KernelPhase::backward_data:
      return {.x = operands[2].data, .w = operands[1].data, .y = operands[0].data};
    default:
      return {.x = operands[0].data,
              .w = operands[2].data,
              .bias = has_bias ? operands[3].data : nullptr,
              .y = operands[1].data};
  }
}

class ConvolutionKernel final : public Kernel {
 public:
  ConvolutionKernel(const KernelSpec& spec, ConvolutionProgram program)
      : spec_(spec), program_(std::move(program)) {}

  void run(std::span<const TensorView> operands, const StepState&) override {
    if (operands.size() != operand_count(spec_)) throw std::logic_error("convolution operands");
    program_.run(in_order_of_graph(spec_, operands));
  }
  std::int64_t workspace_bytes() const override { return program_.workspace_bytes(); }
  std::string implementation() const override { return program_.name(); }

 private:
  KernelSpec spec_;
  ConvolutionProgram program_;
};

// Nothing is multiplied: what is written becomes zero, or the bias.
std::unique_ptr<Kernel> make_empty_convolution(Library& library, const KernelSpec& spec) {
  const auto clear = [&library](const TensorView& view, std::int64_t bytes_per_element) {
    library.device().clear(view.data, volume(view.shape()) * bytes_per_element);
  };
  const auto body = [spec, clear](Operands operands, const StepState&) {
    if (spec.phase == KernelPhase::backward_filter) {
      clear(operands[2], parameter_bytes(spec.precision));
      if (spec.bias) clear(operands[3], parameter_bytes(spec.precision));
    } else {
      clear(operands.back(), activation_bytes(spec.precision));
    }
  };
  return std::make_unique<FunctionKernel>("empty", operand_count(spec), body);
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(Library& library,
                                         const KernelSpec& spec,
                                         const std::string& implementation) {
  if (volume(spec.in) == 0 || volume(spec.out) == 0) return make_empty_convolution(library, spec);
  return std::make_unique<ConvolutionKernel>(spec,
                                             implementation.empty()
                                                 ? choose_program(library, spec)
                                                 : named_program(library, spec, implementation));
}

}  // namespace cnnplan::cudnn
