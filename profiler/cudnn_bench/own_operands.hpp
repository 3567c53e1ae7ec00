// Allocates and fills the operands of an own kernel that is only timed.
#pragma once

#include <vector>

#include "executor/backend/cudnn/cuda/cuda_device.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan::cudnn {

// Owns the operands of a kernel. They are dense and hold random numbers. Labels and places of
// maxima are 0. The sums of a batch norm are those of a mean of 0 and a variance of 1.
class OwnOperands {
 public:
  // Allocates the operands of one kernel, and puts the work that fills them into the selected
  // queue.
  // @throws as Device::allocate() and Device::allocate_staging()
  OwnOperands(CudaDevice& device, const KernelSpec& spec);
  // Returns the operands in the order of the kernel's table. They are valid as long as this object.
  Operands views() const { return views_; }

 private:
  void add(CudaDevice& device, const KernelSpec& spec, const KernelOperand& operand);

  std::vector<MemoryBlock> blocks_;
  std::vector<TensorView> views_;
};

}  // namespace cnnplan::cudnn
