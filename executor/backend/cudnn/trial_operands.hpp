// Allocates the operands of a convolution that is only timed.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/cudnn/convolution_program.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {

// Owns operands of the right sizes, which hold random numbers. With zeros, kernels would be faster
// than on real data.
class TrialOperands {
 public:
  // Puts the filling of the operands in the selected queue. Keeps a reference to the device. The
  // variant with statistics has operands of its own, which are there if `statistics`.
  // @throws InfeasibleError where the device lacks the memory
  TrialOperands(CudaDevice& device, const KernelSpec& spec, bool statistics = false);
  const ConvolutionOperands& operands() const { return operands_; }

 private:
  void* add(ElementType element, std::int64_t count);

  CudaDevice& device_;
  std::vector<MemoryBlock> blocks_;
  ConvolutionOperands operands_;
};

}  // namespace cnnplan::cudnn
