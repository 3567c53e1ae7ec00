// Measures how many floating-point operations a core can do.
#pragma once

namespace cnnplan {

// Returns the floating-point operations per second in fp32 of this core, with all operands in
// registers and the widest vectors of the processor. A multiply-add counts two. The fastest of many
// passes within `budget_s` counts.
double fma_peak(double budget_s);

}  // namespace cnnplan
