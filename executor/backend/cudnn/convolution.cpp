// Convolution kernels: a program, or what is left of one where a block is empty.
#include <stdexcept>
#include <utility>

#include "executor/backend/cudnn/engine_trial.hpp"
#include "executor/backend/cudnn/kernels.hpp"
#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"

namespace cnnplan::cudnn {
namespace {

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

  void run(Operands operands, const StepState&) override {
    if (operands.size() != operand_count(spec_)) throw std::logic_error("convolution operands");
    program_.run(in_order_of_graph(spec_, operands));
  }
  std::int64_t workspace_bytes() const override { return program_.workspace_bytes(); }
  std::string implementation() const override { return program_.name(); }

 private:
  KernelSpec spec_;
  ConvolutionProgram program_;
};

// One block is empty, so nothing is multiplied: what is written is zero, or comes from the bias.
class EmptyConvolution final : public Kernel {
 public:
  EmptyConvolution(Library& library, const KernelSpec& spec) : library_(library), spec_(spec) {}

  void run(Operands operands, const StepState&) override;
  std::int64_t workspace_bytes() const override {
    const bool sums = spec_.bias && spec_.phase == KernelPhase::backward_filter;
    return sums ? bias_gradient_workspace_bytes(spec_.out) : 0;
  }
  std::string implementation() const override { return "empty"; }

 private:
  void clear(const TensorView& view, std::int64_t bytes_per_element) {
    library_.device().clear(view.data, volume(view.shape()) * bytes_per_element);
  }

  Library& library_;
  KernelSpec spec_;
};

void EmptyConvolution::run(Operands operands, const StepState&) {
  cudaStream_t stream = library_.device().stream();
  if (spec_.phase != KernelPhase::backward_filter) {
    clear(operands.back(), activation_bytes(spec_.precision));
    if (spec_.phase == KernelPhase::forward) {
      finish_convolution(spec_, operands[2], operands.back(), stream);
    }
    return;
  }
  clear(operands[2], parameter_bytes(spec_.precision));
  if (!spec_.bias) return;
  void* sums = library_.workspace().at_least(workspace_bytes());
  bias_gradient(spec_.precision, operands[1], operands[3], sums, stream);
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(Library& library,
                                         const KernelSpec& spec,
                                         const KernelConstants& constants,
                                         const std::string& implementation) {
  if (volume(spec.in) == 0 || volume(spec.out) == 0) {
    return std::make_unique<EmptyConvolution>(library, spec);
  }
  ConvolutionProgram program =
      constants.replicated     ? reproducible_program(library, spec, implementation)
      : implementation.empty() ? choose_program(library, spec)
                               : named_program(library, spec, implementation);
  return std::make_unique<ConvolutionKernel>(spec, std::move(program));
}

}  // namespace cnnplan::cudnn
