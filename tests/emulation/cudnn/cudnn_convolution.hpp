// Convolutions on dense arrays of doubles, by their definition.
#pragma once

#include "tests/emulation/cudnn/cudnn_elements.hpp"

namespace cnnplan::emulation {

// The result of the operation, without alpha and beta, from those two of x, w and y that it reads;
// the third is not looked at.
Dense convolve(const Operation& operation, const Dense& x, const Dense& w, const Dense& y);

}  // namespace cnnplan::emulation
