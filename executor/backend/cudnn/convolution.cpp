// Makes convolution kernels: a program, or the rest of one where a block is empty.
#include <utility>

#include "executor/backend/cudnn/engine_trial.hpp"
#include "executor/backend/cudnn/kernels.hpp"
#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "executor/backend/operands_by_role.hpp"

namespace cnnplan::cudnn {
namespace {

ConvolutionOperands operands_of_graph(KernelPhase phase, const OperandsByRole& operands) {
  const auto data = [&operands](Role role) {
    return operands.has(role) ? operands[role].data : nullptr;
  };
  switch (phase) {
    case KernelPhase::forward:
      return {.x = data(Role::x),
              .w = data(Role::weight),
              .bias = data(Role::bias),
              .y = data(Role::y)};
    case KernelPhase::backward_data:
      return {.x = data(Role::dx), .w = data(Role::weight), .y = data(Role::dy)};
    default:
      return {.x = data(Role::x),
              .w = data(Role::dweight),
              .bias = data(Role::dbias),
              .y = data(Role::dy)};
  }
}

class ConvolutionKernel final : public Kernel {
 public:
  ConvolutionKernel(const KernelSpec& spec, ConvolutionProgram program)
      : phase_(spec.phase), positions_(spec), program_(std::move(program)) {}

  void run(Operands operands, const StepState&) override {
    program_.run(operands_of_graph(phase_, OperandsByRole(operands, positions_)));
  }
  std::int64_t workspace_bytes() const override { return program_.workspace_bytes(); }
  std::string implementation() const override { return program_.name(); }

 private:
  KernelPhase phase_;
  OperandPositions positions_;
  ConvolutionProgram program_;
};

// One block is empty, so nothing is multiplied. The results are zero, or come from the bias.
class EmptyConvolution final : public Kernel {
 public:
  EmptyConvolution(Library& library, const KernelSpec& spec)
      : library_(library), spec_(spec), positions_(spec) {}

  void run(Operands operands, const StepState&) override;
  std::int64_t workspace_bytes() const override {
    const bool sums = spec_.bias && spec_.phase == KernelPhase::backward_filter;
    return sums ? bias_gradient_workspace_bytes(spec_.out) : 0;
  }
  std::string implementation() const override { return "empty"; }

 private:
  void finish_forward(const OperandsByRole& operands);
  void backward_filter(const OperandsByRole& operands);
  void clear(const TensorView& view, std::int64_t bytes_per_element) {
    library_.device().clear(view.data, volume(view.shape()) * bytes_per_element);
  }

  Library& library_;
  KernelSpec spec_;
  OperandPositions positions_;
};

void EmptyConvolution::run(Operands in_order, const StepState&) {
  const OperandsByRole operands(in_order, positions_);
  if (spec_.phase == KernelPhase::backward_filter) return backward_filter(operands);
  clear(operands[block_written(spec_.phase)], activation_bytes(spec_.precision));
  if (spec_.phase == KernelPhase::forward) finish_forward(operands);
}

// y stands in for a bias that is not there, and is not read as one.
void EmptyConvolution::finish_forward(const OperandsByRole& operands) {
  const TensorView& bias = operands[spec_.bias ? Role::bias : Role::y];
  finish_convolution(spec_, bias, operands[Role::y], library_.device().stream());
}

void EmptyConvolution::backward_filter(const OperandsByRole& operands) {
  clear(operands[Role::dweight], parameter_bytes(spec_.precision));
  if (!spec_.bias) return;
  bias_gradient(spec_.precision,
                operands[Role::dy],
                operands[Role::dbias],
                {library_.workspace().at_least(workspace_bytes()),
                 library_.workspace().arrived(),
                 library_.device().stream()});
}

}  // namespace

std::unique_ptr<Kernel> make_convolution(Library& library,
                                         const std::string& implementation,
                                         const KernelSpec& spec,
                                         const KernelConstants& constants) {
  if (volume(spec.in) == 0 || volume(spec.out) == 0) {
    return std::make_unique<EmptyConvolution>(library, spec);
  }
  const PlacedConvolution convolution{.spec = spec, .begins_inside = constants.begins_inside};
  ConvolutionProgram program =
      constants.replicated     ? reproducible_program(library, convolution, implementation)
      : implementation.empty() ? choose_program(library, convolution)
                               : named_program(library, convolution, implementation);
  return std::make_unique<ConvolutionKernel>(spec, std::move(program));
}

}  // namespace cnnplan::cudnn
