// What numbers are stored as, in memory and in messages.
#pragma once

#include <cstdint>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Of tensors and messages.
enum class ElementType { fp32, fp64, bf16, fp16 };
std::int64_t bytes_of(ElementType element);
// Of activations, error signals, samples and the copies of weights that convolutions read.
ElementType activation_element(Precision precision);
// Of master weights, gradients, momentum, scale, shift, bias, running values and probabilities.
ElementType parameter_element(Precision precision);

// Of buffers, which also hold labels and the places of maxima.
enum class BufferElement { fp32, fp64, int32, bf16, fp16 };
std::int64_t bytes_of(BufferElement element);
BufferElement buffer_element(ElementType element);
// @pre element is not int32
ElementType element_type(BufferElement element);

}  // namespace cnnplan
