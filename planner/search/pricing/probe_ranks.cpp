// Ranks from coordinates.
#include "planner/search/pricing/probe_ranks.hpp"

#include <algorithm>

#include "planner/network/channel_split.hpp"

namespace cnnplan {
namespace {

bool is_spatial(Axis axis) {
  return axis == Axis::d || axis == Axis::h || axis == Axis::w;
}

void insert(std::vector<int>& ranks, int rank) {
  const auto place = std::lower_bound(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end() || *place != rank) ranks.insert(place, rank);
}

// `may_own_nothing`: whether a layer may be stationary_w.
void insert_busiest(const Mesh& mesh, bool may_own_nothing, std::vector<int>& sample) {
  insert(sample, busiest_rank(mesh, 0));
  if (!may_own_nothing) return;
  if (input_parts(ChannelAlgorithm::stationary_w, mesh.size(Axis::c)) > 1) {
    insert(sample, busiest_rank(mesh, 1));
  }
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
  for (const Mesh* mesh : meshes) insert_busiest(*mesh, true, sample);
  return sample;
}

std::vector<int> sample_ranks(const Split& split) {
  std::vector<int> sample = sample_ranks(split.mesh.rank_count());
  const bool may_own_nothing = split.channel_algorithm == ChannelAlgorithm::stationary_w;
  insert_busiest(split.mesh, may_own_nothing, sample);
  return sample;
}

int first_alike(const Platform& platform, const Mesh& mesh, std::int64_t batch, int rank) {
  const int parts = mesh.size(Axis::n);
  if (parts == 1 || batch % parts != 0) return rank;
  if (parts == mesh.rank_count()) return 0;
  const std::int64_t distance = distance_of_like_places(platform, mesh.rank_count());
  if (distance == 0) return rank;
  const int stride = mesh.stride(Axis::n);
  int alike = rank - mesh.coordinate(rank, Axis::n) * stride;
  while ((rank - alike) % distance != 0) alike += stride;
  return alike;
}

}  // namespace cnnplan
