// The levels of multigrid over layers: which layers one step of a level passes.
#pragma once

#include <vector>

namespace cnnplan {

// [first, end): of the layers of a chain, or of the steps of a level.
struct LayerRange {
  int first = 0;
  int end = 0;
  auto operator<=>(const LayerRange&) const = default;
};

// On level 0, a step passes one layer; on each other level `coarsening` steps of the one before it,
// the last perhaps fewer. Where steps begin and where the last one ends are the points of a level.
class LayerHierarchy {
 public:
  // @pre layers >= 1, coarsening >= 2, levels >= 1
  LayerHierarchy(int layers, int coarsening, int levels);
  // The same points, seen from the other end.
  LayerHierarchy reversed() const;

  int levels() const { return static_cast<int>(steps_.size()); }
  // The layers of every step. @pre 0 <= level < levels()
  const std::vector<LayerRange>& steps(int level) const { return steps_[level]; }
  // By step of the next level, the steps of `level` in it. @pre 0 <= level < levels() - 1
  const std::vector<LayerRange>& groups(int level) const { return groups_[level]; }

 private:
  std::vector<std::vector<LayerRange>> steps_;   // by level
  std::vector<std::vector<LayerRange>> groups_;  // by level but the last
};

}  // namespace cnnplan
