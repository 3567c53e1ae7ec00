// The numbers of tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Product of the dims. @throws InputError on overflow
std::int64_t element_count(const OnnxTensor& tensor);
bool is_integer(const OnnxTensor& tensor);

// Row-major. @throws UnmappedNode where values lie in another file or are of another type
std::vector<std::int64_t> integers_of(const OnnxTensor& tensor);
// Of any type that can be read; exact but for 64-bit integers beyond 2^53.
std::vector<double> reals_of(const OnnxTensor& tensor);

// @pre as many values as the product of `dims`
TensorPointer integer_tensor(std::vector<std::int64_t> dims,
                             const std::vector<std::int64_t>& values);
TensorPointer real_tensor(std::vector<std::int64_t> dims, const std::vector<double>& values);

// The decimal number that a 32-bit number was written for: 0.1 of 0.1F.
double as_written(float value);

}  // namespace cnnplan
