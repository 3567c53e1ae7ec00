// Converts tensors of any type and strides to dense arrays of doubles, and back.
#pragma once

#include <vector>

#include "tests/emulation/cudnn/cudnn_values.hpp"

namespace cnnplan::emulation {

// Holds elements in the order of the tensor's dims, the last one running fastest.
using Dense = std::vector<double>;

Dense load(const Tensor& tensor, const void* data);
// Rounds each element once.
void store(const Tensor& tensor, const Dense& values, void* data);
// Rounds floats as tensor cores do, to 10 bits of fraction. Other types stay.
void round_to_tf32(const Tensor& tensor, Dense& values);

}  // namespace cnnplan::emulation
