// Checks the operands that a kernel is called with.
#include "executor/backend/function_kernel.hpp"

#include <stdexcept>

namespace cnnplan {

void FunctionKernel::run(Operands operands, const StepState& state) {
  body_(OperandsByRole(operands, positions_), state);
}

void require_shape(const TensorView& view, const Shape& shape) {
  if (view.shape() == shape) return;
  if (volume(view.shape()) == 0 && volume(shape) == 0) return;
  throw std::logic_error("operand of shape " + to_text(view.shape()) + " where " + to_text(shape) +
                         " is needed");
}

}  // namespace cnnplan
