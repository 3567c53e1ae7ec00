// Lists the meshes that a layer may be split over.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/tensor/mesh.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Returns all divisors of a number, from itself down to 1. @pre number >= 1
std::vector<int> divisors(int number);

// Holds the meshes that suit a tensor.
struct MeshCandidates {
  std::vector<Mesh> meshes;  // the largest n first, then the largest c, d, h, w
  std::int64_t pruned = 0;   // factorisations left out because some ranks would own nothing
  bool operator==(const MeshCandidates&) const = default;
};

// Returns every factorisation of `ranks` over `axes` in which each axis has at most as many parts
// as `output` has indices there. Axes are ordered n c d h w, where n varies slowest over ranks.
// Where no factorisation fits, an axis r of the smallest size that helps follows the others. For
// example, a fully connected layer of batch 1 on 2 ranks gives r2. An r among `axes` is ignored.
// @pre ranks >= 1, every extent >= 1
MeshCandidates enumerate_meshes(const Shape& output, int ranks, std::span<const Axis> axes);

}  // namespace cnnplan
