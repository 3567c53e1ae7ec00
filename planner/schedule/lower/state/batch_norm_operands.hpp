// Holds the operands of the forward kernel of a batch norm, which recomputation adds a second time.
#pragma once

#include <vector>

#include "planner/schedule/lower/state/parameter_layout.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {

// Returns the operands in the order of the kernel table, without the output. `inputs` are x, and
// the residual if an add is fused. `sums` are the reduced sums of x.
// @pre the unit has its running values (add_running_values)
std::vector<Operand> batch_norm_operands(const ScheduleBuilder& builder,
                                         const ParameterLayout& parameters,
                                         const Unit& unit,
                                         const Operand& sums,
                                         const std::vector<Operand>& inputs);

}  // namespace cnnplan
