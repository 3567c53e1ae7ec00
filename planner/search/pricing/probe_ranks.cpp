// Derives ranks from their coordinates on meshes.
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

// `may_own_nothing` says whether a layer may be stationary_w.
void insert_busiest(const Mesh& mesh, bool may_own_nothing, std::vector<int>& ranks) {
  insert(ranks, busiest_rank(mesh, 0));
  if (!may_own_nothing) return;
  if (input_parts(ChannelAlgorithm::stationary_w, mesh.size(Axis::c)) > 1) {
    insert(ranks, busiest_rank(mesh, 1));
  }
}

}  // namespace

std::vector<int> probe_ranks(int ranks) {
  std::vector<int> probes;
  for (int rank : {0, ranks / 2, ranks - 1}) insert(probes, rank);
  return probes;
}

int busiest_rank(const Mesh& mesh, int channel_part) {
  int rank = 0;
  for (const MeshAxis& axis : mesh.axes()) {
    const int middle = is_spatial(axis.axis) ? (axis.size - 1) / 2 : 0;
    rank = rank * axis.size + (axis.axis == Axis::c ? channel_part : middle);
  }
  return rank;
}

std::vector<int> probe_ranks(const std::vector<const Mesh*>& meshes) {
  std::vector<int> ranks = probe_ranks(meshes.front()->rank_count());
  for (const Mesh* mesh : meshes) insert_busiest(*mesh, true, ranks);
  return ranks;
}

std::vector<int> probe_ranks(const Split& split) {
  std::vector<int> ranks = probe_ranks(split.mesh.rank_count());
  const bool may_own_nothing = split.channel_algorithm == ChannelAlgorithm::stationary_w;
  insert_busiest(split.mesh, may_own_nothing, ranks);
  return ranks;
}

}  // namespace cnnplan
