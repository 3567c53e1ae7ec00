// Makes convolutions that oneDNN refuses or computes wrongly, from our own code.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::onednn {

// Makes a kernel for every phase of every legal convolution: any window, padding, groups and
// channels, also windows that lie in the padding. Operands of 16 bits are multiplied in fp32, and
// products are summed in fp32 or fp64.
// @pre no empty extent; precision is fp32 or bf16
std::unique_ptr<Kernel> make_direct_convolution(const KernelSpec& spec);

}  // namespace cnnplan::onednn
