// Loads and stores elements of all types.
#include "tests/emulation/cudnn/cudnn_elements.hpp"

#include <bit>
#include <stdexcept>

#include "executor/backend/half.hpp"

namespace cnnplan::emulation {
namespace {

// Calls f(offset in elements) for each element in the order of the dims.
template <typename F>
void for_each_offset(const Tensor& tensor, F f) {
  Extents index(tensor.dims.size(), 0);
  const std::int64_t elements = volume(tensor);
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    f(offset);
    for (std::size_t dim = index.size(); dim-- > 0;) {
      offset += tensor.strides[dim];
      if (++index[dim] < tensor.dims[dim]) break;
      offset -= index[dim] * tensor.strides[dim];
      index[dim] = 0;
    }
  }
}

template <typename T>
Dense load_as(const Tensor& tensor, const void* data) {
  Dense values;
  values.reserve(static_cast<std::size_t>(volume(tensor)));
  const T* elements = static_cast<const T*>(data);
  for_each_offset(tensor, [&](std::int64_t offset) {
    values.push_back(static_cast<double>(elements[offset]));
  });
  return values;
}

// Converts to float without a second rounding later. An inexact result gets an odd last bit, so
// that rounding to 16 bits finds no tie (Boldo and Melquiond 2005).
float round_to_odd(double value) {
  const auto near = static_cast<float>(value);
  const auto difference = value - static_cast<double>(near);
  if (difference == 0.0 || difference != difference) return near;
  const auto bits = std::bit_cast<std::uint32_t>(near);
  if ((bits & 1U) == 1U) return near;
  const bool away = (difference > 0.0) == (value > 0.0);
  return std::bit_cast<float>(away ? bits + 1U : bits - 1U);
}

template <typename T>
void store_as(const Tensor& tensor, const Dense& values, void* data) {
  T* elements = static_cast<T*>(data);
  std::size_t i = 0;
  for_each_offset(tensor, [&](std::int64_t offset) {
    if constexpr (sizeof(T) == 2) {
      elements[offset] = T(round_to_odd(values[i++]));
    } else {
      elements[offset] = static_cast<T>(values[i++]);
    }
  });
}

}  // namespace

Dense load(const Tensor& tensor, const void* data) {
  switch (tensor.type) {
    case CUDNN_DATA_DOUBLE:
      return load_as<double>(tensor, data);
    case CUDNN_DATA_FLOAT:
      return load_as<float>(tensor, data);
    case CUDNN_DATA_HALF:
      return load_as<Float16>(tensor, data);
    case CUDNN_DATA_BFLOAT16:
      return load_as<BFloat16>(tensor, data);
    default:
      throw std::logic_error("a data type that is not emulated");
  }
}

void store(const Tensor& tensor, const Dense& values, void* data) {
  switch (tensor.type) {
    case CUDNN_DATA_DOUBLE:
      return store_as<double>(tensor, values, data);
    case CUDNN_DATA_FLOAT:
      return store_as<float>(tensor, values, data);
    case CUDNN_DATA_HALF:
      return store_as<Float16>(tensor, values, data);
    case CUDNN_DATA_BFLOAT16:
      return store_as<BFloat16>(tensor, values, data);
    default:
      throw std::logic_error("a data type that is not emulated");
  }
}

void round_to_tf32(const Tensor& tensor, Dense& values) {
  if (tensor.type != CUDNN_DATA_FLOAT) return;
  for (double& value : values) {
    if (value != value) continue;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t tie_to_even = 0xfffU + ((bits >> 13) & 1U);
    value = static_cast<double>(std::bit_cast<float>((bits + tie_to_even) & ~0x1fffU));
  }
}

}  // namespace cnnplan::emulation
