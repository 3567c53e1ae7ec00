// Formulas with their numbers in them.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/formula.hpp"

namespace cnnplan {

// "2 x node.alpha_s 1.000 us + 4096 B x node.beta_s_per_byte 0.100 ns/B", "1.200 Gflop /
// flops_per_s 50.000 Gflop/s".
std::string to_text(const std::vector<FormulaTerm>& terms);

// Two lines for each formula: what is priced, and the sum.
std::string to_text(const std::vector<Formula>& formulas);

}  // namespace cnnplan
