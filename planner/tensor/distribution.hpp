// Which block of a tensor each rank owns. A value: rank is an argument, no communicator anywhere.
#pragma once

#include <algorithm>

#include "planner/tensor/box.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Block `index` of `length` indices cut into `count` blocks whose sizes differ by at most one,
// larger blocks first. @pre 0 <= index < count
inline Range block_range(std::int64_t length, int count, int index) {
  const std::int64_t size = length / count;
  const std::int64_t remainder = length % count;
  const auto begin_of = [&](std::int64_t i) { return i * size + std::min(i, remainder); };
  return {begin_of(index), begin_of(index + 1)};
}

class Distribution {
 public:
  // `stage`: the coordinate along l that has the tensor. @pre 0 <= stage < mesh.size(Axis::l)
  Distribution(const Shape& shape, const Mesh& mesh, int stage = 0)
      : shape_(shape), mesh_(mesh), stage_(stage) {}

  const Shape& shape() const { return shape_; }
  const Mesh& mesh() const { return mesh_; }
  int rank_count() const { return mesh_.rank_count(); }
  int stage() const { return stage_; }
  // Global indices owned by `rank`, possibly none.
  Box box(int rank) const;
  // Number of the block that `rank` owns: ranks with equal numbers are replicas of each other.
  int block(int rank) const;
  int replica(int rank) const { return mesh_.coordinate(rank, Axis::r); }
  int replica_count() const { return mesh_.size(Axis::r); }
  int block_count() const { return rank_count() / replica_count(); }
  bool operator==(const Distribution&) const = default;

 private:
  Shape shape_;
  Mesh mesh_;
  int stage_ = 0;
};

}  // namespace cnnplan
