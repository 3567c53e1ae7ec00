// Computes sizes of shapes, and sizes of the elements of a precision.
#include "planner/tensor/shape.hpp"

#include "planner/base/checked.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

std::int64_t activation_bytes(Precision precision) {
  return bytes_of(activation_element(precision));
}

std::int64_t parameter_bytes(Precision precision) {
  return bytes_of(parameter_element(precision));
}

bool has_weight_copies(Precision precision) {
  return activation_element(precision) != parameter_element(precision);
}

std::int64_t volume(const Shape& shape) {
  std::int64_t product = 1;
  for (std::int64_t extent : shape.extents) product = checked_multiply(product, extent);
  return product;
}

std::string to_text(const Shape& shape) {
  std::string text;
  for (std::int64_t extent : shape.extents) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

}  // namespace cnnplan
