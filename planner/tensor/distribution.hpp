// Says which block of a tensor each rank owns. It is a plain value, without a communicator.
#pragma once

#include <algorithm>

#include "planner/tensor/box.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Returns block `index` of `length` indices that are cut into `count` blocks. The sizes of blocks
// differ by at most one, and larger blocks come first. @pre 0 <= index < count
inline Range block_range(std::int64_t length, int count, int index) {
  const std::int64_t size = length / count;
  const std::int64_t remainder = length % count;
  const auto begin_of = [&](std::int64_t i) { return i * size + std::min(i, remainder); };
  return {begin_of(index), begin_of(index + 1)};
}

// Gives every rank of a mesh a block of a tensor. Each dim is cut by block_range along the axis of
// its name. Ranks that differ only along r have equal blocks (replicas).
class Distribution {
 public:
  // `shape` is the global shape of the tensor. `stage` is the coordinate along l whose ranks have
  // the tensor. @pre 0 <= stage < mesh.size(Axis::l)
  Distribution(const Shape& shape, const Mesh& mesh, int stage = 0)
      : shape_(shape), mesh_(mesh), stage_(stage) {}

  const Shape& shape() const { return shape_; }
  const Mesh& mesh() const { return mesh_; }
  int rank_count() const { return mesh_.rank_count(); }
  int stage() const { return stage_; }
  // The next three functions need 0 <= rank < rank_count().
  // Returns the global indices that `rank` owns. The box may be empty, as on all other stages.
  Box box(int rank) const;
  // Returns the number of the rank's block, below block_count(). Replicas of one block have equal
  // numbers, and blocks of other stages have numbers, too.
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
