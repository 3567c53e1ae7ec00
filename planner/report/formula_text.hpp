// Writes formulas with the numbers in them.
#pragma once

#include <string>
#include <vector>

#include "planner/base/terminal.hpp"
#include "planner/plan/formula.hpp"

namespace cnnplan {

// Writes a sum such as "2 x node.alpha_s 1.000 us + 4096 B x node.beta_s_per_byte 0.100 ns/B" or
// "1.200 Gflop / flops_per_s 50.000 Gflop/s".
std::string to_text(const std::vector<FormulaTerm>& terms);

// Writes a title, and two lines for each formula. The first line says what is priced, and the
// second is the sum. A formula without terms has no second line. Longer lines are broken, and
// indented further.
std::string to_text(const std::vector<Formula>& formulas, std::size_t columns = usual_columns);

}  // namespace cnnplan
