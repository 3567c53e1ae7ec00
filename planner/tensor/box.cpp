// Implements the algebra of boxes dim by dim.
#include "planner/tensor/box.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

// Returns how many of the last dims the box covers completely.
std::size_t whole_dims(const Shape& shape, const Box& box) {
  std::size_t count = 0;
  while (count < dim_count) {
    const std::size_t dim = dim_count - 1 - count;
    if (box.ranges[dim] != Range{0, shape.extents[dim]}) break;
    ++count;
  }
  return count;
}

}  // namespace

Box intersect(const Box& a, const Box& b) {
  Box common;
  for (Dim dim : all_dims) {
    common[dim] = intersect(a[dim], b[dim]);
    if (common[dim].size() == 0) return {};
  }
  return common;
}

Box shifted(Box box, Dim dim, std::int64_t by) {
  box[dim] = {box[dim].begin + by, box[dim].end + by};
  return box;
}

bool contains(const Box& outer, const Box& inner) {
  return is_empty(inner) || intersect(outer, inner) == inner;
}

Shape shape_of(const Box& box) {
  Shape shape;
  for (Dim dim : all_dims) shape[dim] = box[dim].size();
  return shape;
}

Box whole(const Shape& shape) {
  Box box;
  for (Dim dim : all_dims) box[dim] = {0, shape[dim]};
  return box;
}

void for_each_run(const Shape& shape,
                  const Box& box,
                  const std::function<void(std::int64_t position, std::int64_t count)>& visit) {
  if (is_empty(box)) return;
  const std::size_t whole = whole_dims(shape, box);
  // A run covers the whole dims and the range of the dim before them.
  const std::size_t outer = dim_count - std::min(dim_count, whole + 1);
  std::int64_t run = 1;
  for (std::size_t dim = outer; dim < dim_count; ++dim) run *= box.ranges[dim].size();
  std::array<std::int64_t, dim_count> index{};
  for (std::size_t dim = 0; dim < dim_count; ++dim) index[dim] = box.ranges[dim].begin;
  for (;;) {
    std::int64_t position = 0;
    for (std::size_t dim = 0; dim < dim_count; ++dim) {
      position = position * shape.extents[dim] + index[dim];
    }
    visit(position, run);
    std::size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == box.ranges[dim - 1].end) {
      index[dim - 1] = box.ranges[dim - 1].begin;
      --dim;
    }
    if (dim == 0) return;
  }
}

std::string to_text(const Box& box) {
  std::string text;
  for (const Range& range : box.ranges) {
    if (!text.empty()) text += 'x';
    text += '[' + std::to_string(range.begin) + ',' + std::to_string(range.end) + ')';
  }
  return text;
}

}  // namespace cnnplan
