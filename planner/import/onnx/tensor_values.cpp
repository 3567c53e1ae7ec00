// Converts bytes to numbers and back.
#include "planner/import/onnx/tensor_values.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/import/onnx/unmapped.hpp"

namespace cnnplan {
namespace {

// Converts an IEEE 754 binary16 number.
double half_value(std::uint16_t bits) {
  constexpr int mantissa_bits = 10;
  constexpr int bias = 15;
  const int exponent = (bits >> mantissa_bits) & 31;
  const int mantissa = bits & 1023;
  double value = 0;
  if (exponent == 31) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp(mantissa + 1024, exponent - bias - mantissa_bits);
  }
  return (bits >> 15) != 0 ? -value : value;
}

// Converts a bfloat16 number, which is the upper half of a 32-bit number.
double bfloat_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Calls use(element) for each element of type T.
template <typename T, typename Use>
void for_each(const std::string& bytes, Use&& use) {
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T element;
    std::memcpy(&element, bytes.data() + i, sizeof(T));
    use(element);
  }
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

void require_values(const OnnxTensor& tensor) {
  if (tensor.is_external) {
    throw UnmappedNode("the values of '" + tensor.name +
                       "' lie in another file, which is not opened");
  }
}

}  // namespace

std::int64_t element_count(const OnnxTensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.dims) count = checked_multiply(count, extent);
  return count;
}

bool is_integer(const OnnxTensor& tensor) {
  return tensor.type == TensorType::int32 || tensor.type == TensorType::int64;
}

std::vector<std::int64_t> integers_of(const OnnxTensor& tensor) {
  require_values(tensor);
  if (!is_integer(tensor)) throw UnmappedNode('\'' + tensor.name + "' holds no integers");
  std::vector<std::int64_t> values;
  const auto add = [&](auto element) { values.push_back(element); };
  if (tensor.type == TensorType::int32) {
    for_each<std::int32_t>(tensor.bytes, add);
  } else {
    for_each<std::int64_t>(tensor.bytes, add);
  }
  return values;
}

std::vector<double> reals_of(const OnnxTensor& tensor) {
  require_values(tensor);
  std::vector<double> values;
  const auto add = [&](auto element) { values.push_back(static_cast<double>(element)); };
  switch (tensor.type) {
    case TensorType::float16:
      for_each<std::uint16_t>(tensor.bytes, [&](std::uint16_t bits) { add(half_value(bits)); });
      break;
    case TensorType::bfloat16:
      for_each<std::uint16_t>(tensor.bytes, [&](std::uint16_t bits) { add(bfloat_value(bits)); });
      break;
    case TensorType::float32:
      for_each<float>(tensor.bytes, add);
      break;
    case TensorType::float64:
      for_each<double>(tensor.bytes, add);
      break;
    case TensorType::int32:
      for_each<std::int32_t>(tensor.bytes, add);
      break;
    case TensorType::int64:
      for_each<std::int64_t>(tensor.bytes, add);
      break;
    case TensorType::other:
      throw UnmappedNode('\'' + tensor.name + "' is of a type that is not read");
  }
  return values;
}

TensorPointer integer_tensor(std::vector<std::int64_t> dims,
                             const std::vector<std::int64_t>& values) {
  return std::make_shared<const OnnxTensor>(OnnxTensor{
      .name = {}, .dims = std::move(dims), .type = TensorType::int64, .bytes = bytes_of(values)});
}

TensorPointer real_tensor(std::vector<std::int64_t> dims, const std::vector<double>& values) {
  return std::make_shared<const OnnxTensor>(OnnxTensor{
      .name = {}, .dims = std::move(dims), .type = TensorType::float64, .bytes = bytes_of(values)});
}

double as_written(float value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double number = value;
  std::from_chars(text, end, number);
  return number;
}

}  // namespace cnnplan
