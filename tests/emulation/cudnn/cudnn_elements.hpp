// Tensors of any type and strides as dense arrays of doubles, and back.
#pragma once

#include <vector>

#include "tests/emulation/cudnn/cudnn_values.hpp"

namespace cnnplan::emulation {

// In the order of the tensor's dims, the last one running fastest.
using Dense = std::vector<double>;

Dense load(const Tensor& tensor, const void* data);
// Rounds once.
void store(const Tensor& tensor, const Dense& values, void* data);
// What tensor cores make of a float: 10 bits of fraction. Other types stay.
void round_to_tf32(const Tensor& tensor, Dense& values);

}  // namespace cnnplan::emulation
