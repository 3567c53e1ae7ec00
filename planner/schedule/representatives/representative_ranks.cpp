// Finds the smallest distance of ranks that repeats samples, places in groups and nodes.
#include "planner/schedule/representatives/representative_ranks.hpp"

#include <cstdint>
#include <numeric>
#include <set>

namespace cnnplan {
namespace {

// True where ranks may do the same work at all. The last shards of a weight may be shorter than the
// others, and sums of blocks of samples are not compared.
bool may_have_representatives(const Plan& plan) {
  return !plan.sharded_update && plan.sample_blocks <= 1;
}

bool cuts_samples_evenly(const Mesh& mesh, std::int64_t batch) {
  const int parts = mesh.size(Axis::n);
  return parts > 1 && batch % parts == 0;
}

// True where the whole mesh repeats itself along the ranks: consecutive blocks of ranks have
// consecutive samples, and a block holds no replicas or stages of its own.
bool repeats_along_ranks(const Mesh& mesh) {
  const bool has_copies = mesh.size(Axis::r) > 1 || mesh.size(Axis::l) > 1;
  return mesh.axes().front().axis == Axis::n && !has_copies;
}

}  // namespace

int representative_distance(const Plan& plan, const Platform& platform) {
  if (!may_have_representatives(plan)) return plan.ranks;
  std::int64_t distance = distance_of_like_places(platform, plan.ranks);
  if (distance == 0) return plan.ranks;
  if (plan.ranks_per_node < plan.ranks) distance = std::lcm(distance, plan.ranks_per_node);
  for (const LayerPlan& layer : plan.layers) {
    if (!cuts_samples_evenly(layer.mesh, plan.batch)) return plan.ranks;
    if (!repeats_along_ranks(layer.mesh)) return plan.ranks;
    distance = std::lcm(distance, layer.mesh.stride(Axis::n));
  }
  return plan.ranks % distance == 0 ? static_cast<int>(distance) : plan.ranks;
}

int representative_rank(const Plan& plan, const Mesh& mesh, const Platform& platform, int rank) {
  if (!may_have_representatives(plan) || !cuts_samples_evenly(mesh, plan.batch)) return rank;
  // Ranks that have samples alone exchange nothing except sums over all of them.
  const bool has_samples_alone = mesh.size(Axis::n) == mesh.rank_count();
  if (has_samples_alone) return 0;
  const std::int64_t distance = distance_of_like_places(platform, mesh.rank_count());
  if (distance == 0) return rank;
  const int stride = mesh.stride(Axis::n);
  int representative = rank - mesh.coordinate(rank, Axis::n) * stride;
  while ((rank - representative) % distance != 0) representative += stride;
  return representative;
}

std::vector<int> representative_ranks(const Plan& plan,
                                      const Mesh& mesh,
                                      const Platform& platform,
                                      const std::vector<int>& ranks) {
  std::set<int> representatives;
  for (const int rank : ranks) {
    representatives.insert(representative_rank(plan, mesh, platform, rank));
  }
  return {representatives.begin(), representatives.end()};
}

}  // namespace cnnplan
