// Checks that a kernel is called with as many operands as it takes.
#include "executor/backend/operands_by_role.hpp"

#include <stdexcept>
#include <string>

namespace cnnplan {

OperandsByRole::OperandsByRole(Operands operands, const OperandPositions& positions)
    : operands_(operands), positions_(&positions) {
  if (operands.size() == positions.count()) return;
  throw std::logic_error("a kernel takes " + std::to_string(positions.count()) + " operands, got " +
                         std::to_string(operands.size()));
}

}  // namespace cnnplan
