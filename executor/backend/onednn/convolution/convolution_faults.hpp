// Lists convolutions that kernels of oneDNN compute wrongly. Tests against the reference found
// them, all in version 2.6.3.
#pragma once

#include <string>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// True for a backward_filter whose jit kernel in oneDNN leaves its operands or adds wrong products.
bool jit_misreads(const KernelSpec& spec);
// True where `implementation`, as oneDNN calls it, is wrong for this convolution.
bool is_wrong(const std::string& implementation, const KernelSpec& spec);

}  // namespace cnnplan::onednn
