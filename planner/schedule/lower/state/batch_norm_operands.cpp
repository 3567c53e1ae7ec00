// Puts the operands of a batch norm in the order of the kernel table.
#include "planner/schedule/lower/state/batch_norm_operands.hpp"

namespace cnnplan {

std::vector<Operand> batch_norm_operands(const ScheduleBuilder& builder,
                                         const ParameterLayout& parameters,
                                         const Unit& unit,
                                         const Operand& sums,
                                         const std::vector<Operand>& inputs) {
  constexpr std::size_t most_operands = 9;  // with output and mask, which the caller appends
  std::vector<Operand> operands;
  operands.reserve(most_operands);
  operands.assign({inputs[0],
                   sums,
                   parameters.value(unit, ParameterRole::scale),
                   parameters.value(unit, ParameterRole::shift),
                   builder.write(builder.schedule().running_mean[unit.head]),
                   builder.write(builder.schedule().running_variance[unit.head])});
  if (unit.residual) operands.push_back(inputs[1]);
  return operands;
}

}  // namespace cnnplan
