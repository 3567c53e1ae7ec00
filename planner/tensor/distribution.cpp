// Computes the block of a rank from its coordinates in the mesh.
#include "planner/tensor/distribution.hpp"

namespace cnnplan {

Box Distribution::box(int rank) const {
  if (mesh_.coordinate(rank, Axis::l) != stage_) return {};
  Box box = whole(shape_);
  for (const MeshAxis& axis : mesh_.axes()) {
    if (axis.axis == Axis::r || axis.axis == Axis::l) continue;
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
