// What a core can compute at most.
#pragma once

namespace cnnplan {

// Floating-point operations per second in fp32 of this core, all operands in registers; a
// multiply-add counts two. The fastest of many passes within `budget_s`, with the widest vectors
// that the processor has.
double fma_peak(double budget_s);

}  // namespace cnnplan
