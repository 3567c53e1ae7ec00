// Hands a kernel its operands by role instead of by position.
#pragma once

#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan {

using Role = OperandRole;

// Views the operands of one run. The positions are found once, when the kernel is made.
class OperandsByRole {
 public:
  // `operands` and `positions` must outlive the object.
  // @throws std::logic_error unless there are positions.count() operands
  OperandsByRole(Operands operands, const OperandPositions& positions);

  // Returns the operand of a role. @throws std::logic_error unless has(role)
  const TensorView& operator[](Role role) const { return operands_[(*positions_)[role]]; }
  bool has(Role role) const { return positions_->has(role); }
  // Returns all operands, in the order of kernel_operands(spec).
  Operands in_order() const { return operands_; }

 private:
  Operands operands_;
  const OperandPositions* positions_;
};

}  // namespace cnnplan
