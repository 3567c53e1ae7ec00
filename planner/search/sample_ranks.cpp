// Ranks from coordinates.
#include "planner/search/sample_ranks.hpp"

#include <algorithm>

#include "planner/model/channel_split.hpp"

namespace cnnplan {
namespace {

bool is_spatial(Axis axis) {
  return axis == Axis::d || axis == Axis::h || axis == Axis::w;
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

int busiest_rank(const Mesh& mesh, int channel_part) {
  int rank = 0;
  for (const MeshAxis& axis : mesh.axes()) {
    const int middle = is_spatial(axis.axis) ? (axis.size - 1) / 2 : 0;
    rank = rank * axis.size + (axis.axis == Axis::c ? channel_part : middle);
  }
  return rank;
}

std::vector<int> sample_ranks(const std::vector<const Mesh*>& meshes) {
  std::vector<int> sample = sample_ranks(meshes.front()->rank_count());
  for (const Mesh* mesh : meshes) {
    insert(sample, busiest_rank(*mesh, 0));
    if (input_parts(ChannelAlgorithm::stationary_w, mesh->size(Axis::c)) > 1) {
      insert(sample, busiest_rank(*mesh, 1));
    }
  }
  return sample;
}

}  // namespace cnnplan
