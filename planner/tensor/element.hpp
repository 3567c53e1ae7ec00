// Says how numbers are stored, in memory and in messages.
#pragma once

#include <cstdint>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Tensors and messages have elements of these types.
enum class ElementType { fp32, fp64, bf16, fp16 };
// Returns the size of one element: 2, 4 or 8.
std::int64_t bytes_of(ElementType element);
// Returns the type of activations, error signals, samples and the copies of weights that
// convolutions read.
ElementType activation_element(Precision precision);
// Returns the type of master weights, gradients, momentum, scale, shift, bias, running values and
// probabilities.
ElementType parameter_element(Precision precision);

// Buffers have elements of these types. They also hold labels and the places of maxima, as int32.
enum class BufferElement { fp32, fp64, int32, bf16, fp16 };
// Returns the size of one element: 2, 4 or 8.
std::int64_t bytes_of(BufferElement element);
// Both functions convert between the two enumerations, which spell equal types alike.
BufferElement buffer_element(ElementType element);
// @pre element is not int32
ElementType element_type(BufferElement element);

}  // namespace cnnplan
