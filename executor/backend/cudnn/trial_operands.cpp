// Fills every operand of a trial with random numbers of its own.
#include "executor/backend/cudnn/trial_operands.hpp"

#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"

namespace cnnplan::cudnn {

TrialOperands::TrialOperands(CudaDevice& device, const KernelSpec& spec, bool statistics)
    : device_(device) {
  const ElementType activations = activation_element(spec.precision);
  const ElementType parameters = parameter_element(spec.precision);
  const bool is_gradient = spec.phase == KernelPhase::backward_filter;
  operands_.x = add(activations, volume(spec.in));
  operands_.w = add(is_gradient ? parameters : activations, weight_volume(spec));
  operands_.y = add(activations, volume(spec.out));
  if (spec.bias) operands_.bias = add(parameters, spec.out[Dim::c]);
  if (statistics) operands_.sums = add(ElementType::fp64, 2 * spec.out[Dim::c] + 1);
}

void* TrialOperands::add(ElementType element, std::int64_t count) {
  MemoryBlock& block = blocks_.emplace_back(device_.allocate(count * bytes_of(element)));
  fill_random(element, block.data(), count, blocks_.size(), device_.stream());
  return block.data();
}

}  // namespace cnnplan::cudnn
