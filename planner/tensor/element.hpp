// Says how numbers are stored, in memory and in messages.
#pragma once

#include <cstdint>

#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Tensors and messages have elements of these types.
enum class ElementType { fp32, fp64, bf16, fp16 };
std::int64_t bytes_of(ElementType element);
// Activations, error signals, samples and the copies of weights that convolutions read have this
// type.
ElementType activation_element(Precision precision);
// Master weights, gradients, momentum, scale, shift, bias, running values and probabilities have
// this type.
ElementType parameter_element(Precision precision);

// Buffers have elements of these types. They also hold labels and the places of maxima, as int32.
enum class BufferElement { fp32, fp64, int32, bf16, fp16 };
std::int64_t bytes_of(BufferElement element);
BufferElement buffer_element(ElementType element);
// @pre element is not int32
ElementType element_type(BufferElement element);

}  // namespace cnnplan
