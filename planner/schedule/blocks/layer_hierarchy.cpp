// Builds the levels of a chain by grouping the steps of the level before.
#include "planner/schedule/blocks/layer_hierarchy.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

// Cuts `count` elements into groups of `size`. The last group may be smaller.
std::vector<LayerRange> grouped(int count, int size) {
  std::vector<LayerRange> groups;
  for (int first = 0; first < count; first += std::min(size, count - first)) {
    groups.push_back({first, first + std::min(size, count - first)});
  }
  return groups;
}

std::vector<LayerRange> mirrored(const std::vector<LayerRange>& ranges) {
  std::vector<LayerRange> result;
  const int end = ranges.back().end;
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    result.push_back({end - range->end, end - range->first});
  }
  return result;
}

}  // namespace

LayerHierarchy::LayerHierarchy(int layers, int coarsening, int levels)
    : steps_{grouped(layers, 1)} {
  for (int level = 1; level < levels; ++level) {
    const std::vector<LayerRange>& fine = steps_.back();
    groups_.push_back(grouped(static_cast<int>(fine.size()), coarsening));
    std::vector<LayerRange> coarse;
    for (const LayerRange& group : groups_.back()) {
      coarse.push_back({fine[group.first].first, fine[group.end - 1].end});
    }
    steps_.push_back(std::move(coarse));
  }
}

LayerHierarchy LayerHierarchy::reversed() const {
  LayerHierarchy result = *this;
  for (auto& steps : result.steps_) steps = mirrored(steps);
  for (auto& groups : result.groups_) groups = mirrored(groups);
  return result;
}

}  // namespace cnnplan
