// Blocked distribution of a tensor over a mesh.
#include "planner/model/distribution.hpp"

#include <algorithm>

namespace cnnplan {

Range block_range(std::int64_t length, int count, int index) {
  const std::int64_t size = length / count;
  const std::int64_t remainder = length % count;
  const auto begin_of = [&](std::int64_t i) { return i * size + std::min(i, remainder); };
  return {begin_of(index), begin_of(index + 1)};
}

Box Distribution::box(int rank) const {
  Box box = whole(shape_);
  for (const MeshAxis& axis : mesh_.axes()) {
    if (axis.axis == Axis::r) continue;
    const auto dim = static_cast<std::size_t>(axis.axis);
    box.ranges[dim] =
        block_range(shape_.extents[dim], axis.size, mesh_.coordinate(rank, axis.axis));
  }
  return box;
}

int Distribution::block(int rank) const {
  int block = 0;
  for (const MeshAxis& axis : mesh_.axes()) {
    if (axis.axis != Axis::r) block = block * axis.size + mesh_.coordinate(rank, axis.axis);
  }
  return block;
}

}  // namespace cnnplan
