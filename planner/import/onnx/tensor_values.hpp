// Reads the numbers of tensors, and makes tensors of numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Returns the product of the dims. @throws InputError on overflow
std::int64_t element_count(const OnnxTensor& tensor);
bool is_integer(const OnnxTensor& tensor);

// Returns integers in row-major order.
// @throws UnmappedNode when values lie in another file or have another type
std::vector<std::int64_t> integers_of(const OnnxTensor& tensor);
// Returns the values of any readable type. They are exact, except 64-bit integers above 2^53.
// @throws UnmappedNode when values lie in another file or have a type that is not read
std::vector<double> reals_of(const OnnxTensor& tensor);

// These functions make tensors without a name, of the types int64 and float64.
// @pre there are as many values as the product of `dims`
TensorPointer integer_tensor(std::vector<std::int64_t> dims,
                             const std::vector<std::int64_t>& values);
TensorPointer real_tensor(std::vector<std::int64_t> dims, const std::vector<double>& values);

// Returns the decimal number for which a 32-bit number was written: 0.1 for 0.1F.
double as_written(float value);

}  // namespace cnnplan
