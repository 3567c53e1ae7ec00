// Sizes of shapes.
#include "planner/model/shape.hpp"

#include "planner/model/checked.hpp"

namespace cnnplan {

std::int64_t bytes_per_element(Precision precision) {
  return precision == Precision::fp32 ? 4 : 8;
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
