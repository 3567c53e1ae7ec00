// A common multiple of everything that repeats.
#include "planner/schedule/representatives/representative_ranks.hpp"

#include <cstdint>
#include <numeric>

namespace cnnplan {
namespace {

// Ranks one after the other have samples one after the other, all as many.
bool cuts_samples_alone(const Mesh& mesh, std::int64_t batch) {
  const int parts = mesh.size(Axis::n);
  if (parts == 1 || mesh.axes().front().axis != Axis::n || batch % parts != 0) return false;
  return mesh.size(Axis::r) == 1 && mesh.size(Axis::l) == 1;
}

}  // namespace

int distance_of_like_ranks(const Plan& plan, const Platform& platform) {
  if (plan.sharded_update || plan.sample_blocks > 1) return plan.ranks;
  std::int64_t distance = distance_of_like_places(platform, plan.ranks);
  if (distance == 0) return plan.ranks;
  if (plan.ranks_per_node < plan.ranks) {
    distance = std::lcm(distance, std::int64_t{plan.ranks_per_node});
  }
  for (const LayerPlan& layer : plan.layers) {
    if (!cuts_samples_alone(layer.mesh, plan.batch)) return plan.ranks;
    distance = std::lcm(distance, std::int64_t{layer.mesh.stride(Axis::n)});
  }
  return plan.ranks % distance == 0 ? static_cast<int>(distance) : plan.ranks;
}

}  // namespace cnnplan
