// Lets loops in float work on 16-bit operands.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan::reference {

// Runs a function on float copies of the 16-bit operands, and rounds the results. The function sees
// dense operands, whose boxes are those of the real operands.
class WideningKernel final : public Kernel {
 public:
  // run() calls `body` with the copies. `workspace_bytes` counts the memory that `body` allocates.
  // @pre activation_bytes(spec.precision) == 2
  WideningKernel(const KernelSpec& spec, FunctionKernel::Body body, std::int64_t workspace_bytes);

  void run(Operands operands, const StepState& state) override;
  // Returns the bytes of the float copies, and those that `body` allocates.
  std::int64_t workspace_bytes() const override;
  std::string implementation() const override { return loops_.implementation(); }

 private:
  ElementType element_;
  FunctionKernel loops_;
  std::vector<KernelOperand> operands_;
  std::vector<std::vector<float>> wide_;  // copies by operand; empty unless it has 16 bits
};

}  // namespace cnnplan::reference
