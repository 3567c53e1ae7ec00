// Fills buckets slot by slot, and divides them where groups change.
#include "planner/schedule/lower/state/gradient_ranges.hpp"

#include "planner/schedule/blocks/ownership.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {
namespace {

const Mesh& mesh_of(const Plan& plan, LayerIndex layer) {
  return plan.layers[layer].mesh;
}

// True where the slices of two layers are in one group for all replicas of either layer.
bool sum_alike(const Mesh& one, const Mesh& other) {
  return one == other || (one.size(Axis::r) == 1 && other.size(Axis::r) == 1);
}

}  // namespace

std::vector<GradientRange> gradient_ranges_of(const Plan& plan,
                                              int rank,
                                              const ParameterSlots& slots) {
  std::vector<GradientRange> ranges;
  std::int64_t bucket_elements = 0;
  const Mesh* grouped = nullptr;  // the mesh of `group`
  RankGroup group;
  for (const SlotIndex slot : slots.indices()) {
    const Mesh& mesh = mesh_of(plan, slots[slot].layer);
    if (grouped == nullptr || *grouped != mesh) group = reduction_group(mesh, rank);
    grouped = &mesh;
    const bool joins = !ranges.empty() && !ranges.back().ends_bucket &&
                       ranges.back().group == group &&
                       sum_alike(mesh_of(plan, slots[slot - 1].layer), mesh);
    if (!joins) ranges.push_back({.first_slot = slot, .last_slot = slot, .group = group});
    ranges.back().last_slot = slot;
    bucket_elements += volume(slots[slot].shape);
    const bool ends_layer =
        slot == slots.last_index() || slots[slot + 1].layer != slots[slot].layer;
    const std::int64_t bytes = bucket_elements * parameter_bytes(plan.precision);
    ranges.back().ends_bucket = ends_layer && bytes >= plan.bucket_bytes;
    if (ranges.back().ends_bucket) bucket_elements = 0;
  }
  if (!ranges.empty()) ranges.back().ends_bucket = true;
  return ranges;
}

}  // namespace cnnplan
