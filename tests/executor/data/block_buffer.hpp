// Holds a rank's block inside a larger, pitched buffer, for tests of functions that fill blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/tensor_view.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {

using Index = std::array<std::int64_t, dim_count>;  // global (n, c, d, h, w)

template <typename Visit>
void for_each_index(const Box& box, const Visit& visit) {
  if (is_empty(box)) return;
  Index index{};
  for (std::size_t dim = 0; dim < dim_count; ++dim) index[dim] = box.ranges[dim].begin;
  while (index[0] < box.ranges[0].end) {
    visit(index);
    for (std::size_t dim = dim_count; dim-- > 0;) {
      if (++index[dim] < box.ranges[dim].end || dim == 0) break;
      index[dim] = box.ranges[dim].begin;
    }
  }
}

template <typename T>
class BlockBuffer {
 public:
  static constexpr T untouched = T(-77);

  // Allocates memory for `box` with `halo` more positions around it in h and w.
  explicit BlockBuffer(const Box& box, std::int64_t halo = 0) : box_(box), outer_(box) {
    for (Dim dim : {Dim::h, Dim::w}) {
      outer_[dim] = {box[dim].begin - halo, box[dim].end + halo};
    }
    elements_.assign(static_cast<std::size_t>(volume(outer_)), untouched);
  }

  TensorView view() { return view_of(elements_.data(), outer_, box_, sizeof(T)); }
  const Box& box() const { return box_; }
  T at(const Index& index) {
    const TensorView all = view_of(elements_.data(), outer_, outer_, sizeof(T));
    std::int64_t offset = 0;
    for (Dim dim : all_dims) {
      offset += (index[static_cast<std::size_t>(dim)] - outer_[dim].begin) * all.stride(dim);
    }
    return all.as<T>()[offset];
  }
  std::int64_t untouched_count() const {
    return std::count(elements_.begin(), elements_.end(), untouched);
  }
  std::int64_t halo_count() const { return volume(outer_) - volume(box_); }

 private:
  Box box_;
  Box outer_;
  std::vector<T> elements_;
};

// Counts the elements of `block` that differ from `serial` at the same global index.
template <typename T>
std::int64_t differences(BlockBuffer<T>& block, BlockBuffer<T>& serial) {
  std::int64_t count = 0;
  for_each_index(block.box(),
                 [&](const Index& index) { count += block.at(index) != serial.at(index) ? 1 : 0; });
  return count;
}

// Returns meshes that put every rank of a test to work, and some that leave ranks without a block.
inline std::vector<Mesh> test_meshes(int ranks) {
  std::vector<Mesh> meshes;
  for (const char* text : {"1",
                           "n2",
                           "h2",
                           "w2",
                           "r2",
                           "n3",
                           "h3",
                           "w3",
                           "n2h2",
                           "h2w2",
                           "w2n2",
                           "n4",
                           "h4",
                           "n2r2"}) {
    const Mesh mesh = parse_mesh(text);
    if (mesh.rank_count() == ranks) meshes.push_back(mesh);
  }
  return meshes;
}

}  // namespace cnnplan
