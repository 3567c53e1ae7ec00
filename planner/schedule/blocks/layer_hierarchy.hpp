// Defines the levels of multigrid over layers, and which layers each step of a level passes.
#pragma once

#include <vector>

namespace cnnplan {

// Holds the range [first, end) of layers of a chain, or of steps of a level.
struct LayerRange {
  int first = 0;
  int end = 0;
  auto operator<=>(const LayerRange&) const = default;
};

// Holds the steps of all levels. On level 0, which is the finest, a step passes one layer. On other
// levels, it passes `coarsening` steps of the level before, or fewer at the end. The points of a
// level are the ends of its steps.
class LayerHierarchy {
 public:
  // @pre layers >= 1, coarsening >= 2, levels >= 1
  LayerHierarchy(int layers, int coarsening, int levels);
  // Returns the hierarchy with the same points whose layers and steps count from the other end of
  // the chain, as backpropagation passes them.
  LayerHierarchy reversed() const;

  int levels() const { return static_cast<int>(steps_.size()); }
  // Returns the layers of every step. @pre 0 <= level < levels()
  const std::vector<LayerRange>& steps(int level) const { return steps_[level]; }
  // Returns which steps of this level each step of the next level passes.
  // @pre 0 <= level < levels() - 1
  const std::vector<LayerRange>& groups(int level) const { return groups_[level]; }

 private:
  std::vector<std::vector<LayerRange>> steps_;   // by level
  std::vector<std::vector<LayerRange>> groups_;  // by level, except the last
};

}  // namespace cnnplan
