// Defines half-open index ranges and boxes, the algebra of every halo exchange and shuffle.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include "planner/base/checked.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Holds a half-open range [begin, end) of indices, which is empty if end <= begin.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end > begin ? end - begin : 0; }
  auto operator<=>(const Range&) const = default;
};

// Holds the global indices (N, C, D, H, W) of a block of a tensor.
struct Box {
  std::array<Range, dim_count> ranges{};

  const Range& operator[](Dim dim) const { return ranges[static_cast<std::size_t>(dim)]; }
  Range& operator[](Dim dim) { return ranges[static_cast<std::size_t>(dim)]; }
  auto operator<=>(const Box&) const = default;
};

// Both functions return the indices that two ranges or boxes share. If they share none, all ranges
// of the result are [0, 0).
inline Range intersect(Range a, Range b) {
  const Range common{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return common.end > common.begin ? common : Range{};
}

Box intersect(const Box& a, const Box& b);
// Returns the box with `by` added to both ends of the range of `dim`.
Box shifted(Box box, Dim dim, std::int64_t by);
// True if the range of some dim is empty.
inline bool is_empty(const Box& box) {
  return std::any_of(box.ranges.begin(), box.ranges.end(), [](Range r) { return r.size() == 0; });
}
// True if the intersection is not empty.
inline bool overlap(const Box& a, const Box& b) {
  for (std::size_t i = 0; i < dim_count; ++i) {
    const Range first = a.ranges[i];
    const Range second = b.ranges[i];
    if (std::max(first.begin, second.begin) >= std::min(first.end, second.end)) return false;
  }
  return true;
}
// True if every index of `inner` lies in `outer`. An empty `inner` lies in every box.
bool contains(const Box& outer, const Box& inner);
// Returns the extent in each dim, which is 0 where the range is empty.
Shape shape_of(const Box& box);
// Returns the number of indices. @throws InputError on overflow
inline std::int64_t volume(const Box& box) {
  std::int64_t product = 1;
  for (const Range& range : box.ranges) product = checked_multiply(product, range.size());
  return product;
}
// Returns the box of all indices of a tensor.
Box whole(const Shape& shape);
// Calls visit(position, count) for each run of elements of `box` that are adjacent in the row-major
// tensor of `shape`. The runs come in order, and `position` is the place of their first element
// in the tensor, of order (N, C, D, H, W). An empty box has no run. @pre `box` lies in the tensor
void for_each_run(const Shape& shape,
                  const Box& box,
                  const std::function<void(std::int64_t position, std::int64_t count)>& visit);

// Returns the ranges in the order n, c, d, h, w: "[0,4)x[0,64)x[0,1)x[0,28)x[0,56)".
std::string to_text(const Box& box);

}  // namespace cnnplan
