// Makes random convolutions, most of them small and with windows that overlap the borders.
#pragma once

#include "planner/kernel/kernel.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {

// Returns a convolution of any phase in 1 to 3 dims, with kernels of 1 to 11, strides, dilation,
// asymmetric padding, extents from 1, odd channels and groups.
KernelSpec random_convolution(Random& random, Precision precision);

}  // namespace cnnplan::test
