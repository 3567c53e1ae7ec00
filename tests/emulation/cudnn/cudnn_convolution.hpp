// Computes convolutions on dense arrays of doubles, by their definition.
#pragma once

#include "tests/emulation/cudnn/cudnn_elements.hpp"

namespace cnnplan::emulation {

// Returns the result of the operation, without alpha and beta. It reads two of x, w and y, and
// ignores the third.
Dense convolve(const Operation& operation, const Dense& x, const Dense& w, const Dense& y);

}  // namespace cnnplan::emulation
