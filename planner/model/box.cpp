// Box algebra.
#include "planner/model/box.hpp"

#include <algorithm>

namespace cnnplan {

Range intersect(Range a, Range b) {
  const Range common{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return common.end > common.begin ? common : Range{};
}

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

bool is_empty(const Box& box) {
  return std::any_of(box.ranges.begin(), box.ranges.end(), [](Range r) { return r.size() == 0; });
}

bool overlap(const Box& a, const Box& b) {
  for (Dim dim : all_dims) {
    if (std::max(a[dim].begin, b[dim].begin) >= std::min(a[dim].end, b[dim].end)) return false;
  }
  return true;
}

bool contains(const Box& outer, const Box& inner) {
  return is_empty(inner) || intersect(outer, inner) == inner;
}

Shape shape_of(const Box& box) {
  Shape shape;
  for (Dim dim : all_dims) shape[dim] = box[dim].size();
  return shape;
}

std::int64_t volume(const Box& box) {
  return volume(shape_of(box));
}

Box whole(const Shape& shape) {
  Box box;
  for (Dim dim : all_dims) box[dim] = {0, shape[dim]};
  return box;
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
