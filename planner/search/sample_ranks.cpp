// Ranks from coordinates.
#include "planner/search/sample_ranks.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

bool is_spatial(Axis axis) {
  return axis == Axis::d || axis == Axis::h || axis == Axis::w;
}

// In the middle of the positions; among channels, with others than those that it multiplies, where
// the layer is stationary_w.
int busy_coordinate(const MeshAxis& axis) {
  if (is_spatial(axis.axis)) return (axis.size - 1) / 2;
  return axis.axis == Axis::c ? std::min(1, axis.size - 1) : 0;
}

void insert(std::vector<int>& ranks, int rank) {
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end() || *place != rank) ranks.insert(place, rank);
}

}  // namespace

std::vector<int> sample_ranks(int ranks) {
  std::vector<int> sample;
  for (int rank : {0, ranks / 2, ranks - 1}) insert(sample, rank);
  return sample;
}

int busiest_rank(const Mesh& mesh) {
  int rank = 0;
  for (const MeshAxis& axis : mesh.axes()) {
    rank = rank * axis.size + busy_coordinate(axis);
  }
  return rank;
}

std::vector<int> sample_ranks(const std::vector<const Mesh*>& meshes) {
  std::vector<int> sample = sample_ranks(meshes.front()->rank_count());
  for (const Mesh* mesh : meshes) insert(sample, busiest_rank(*mesh));
  return sample;
}

}  // namespace cnnplan
