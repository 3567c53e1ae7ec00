// Tests the levels of multigrid over layers: their points, steps and groups.
#include "planner/schedule/blocks/layer_hierarchy.hpp"

#include <doctest/doctest.h>

#include "planner/network/multigrid.hpp"

namespace cnnplan::test {
namespace {

using Ranges = std::vector<LayerRange>;

// Checks that every level passes all layers once, in order.
void check_steps(const LayerHierarchy& hierarchy, int layers) {
  for (int level = 0; level < hierarchy.levels(); ++level) {
    int next = 0;
    for (const LayerRange& step : hierarchy.steps(level)) {
      CHECK(step.first == next);
      CHECK(step.end > step.first);
      next = step.end;
    }
    CHECK(next == layers);
  }
}

// Checks that a step of the next level passes the layers of its group.
void check_groups(const LayerHierarchy& hierarchy, int coarsening) {
  for (int level = 0; level + 1 < hierarchy.levels(); ++level) {
    const Ranges& fine = hierarchy.steps(level);
    const Ranges& coarse = hierarchy.steps(level + 1);
    const Ranges& groups = hierarchy.groups(level);
    REQUIRE(groups.size() == coarse.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      CHECK(groups[i].end - groups[i].first <= coarsening);
      CHECK(fine[static_cast<std::size_t>(groups[i].first)].first == coarse[i].first);
      CHECK(fine[static_cast<std::size_t>(groups[i].end) - 1].end == coarse[i].end);
    }
  }
}

}  // namespace

TEST_CASE("LayerHierarchy: every coarsening-th point is on the next level, the last one too") {
  const LayerHierarchy hierarchy(10, 4, 3);
  CHECK(hierarchy.steps(1) == Ranges{{0, 4}, {4, 8}, {8, 10}});
  CHECK(hierarchy.groups(0) == Ranges{{0, 4}, {4, 8}, {8, 10}});
  CHECK(hierarchy.steps(2) == Ranges{{0, 10}});
  CHECK(hierarchy.groups(1) == Ranges{{0, 3}});
  CHECK(hierarchy.reversed().steps(1) == Ranges{{0, 2}, {2, 6}, {6, 10}});
}

TEST_CASE("LayerHierarchy: levels pass the same layers, forward and backward") {
  for (int layers = 1; layers <= 40; ++layers) {
    for (int coarsening = 2; coarsening <= 7; ++coarsening) {
      const int levels = most_levels(layers, coarsening);
      const LayerHierarchy hierarchy(layers, coarsening, levels);
      CAPTURE(layers);
      CAPTURE(coarsening);
      check_steps(hierarchy, layers);
      check_groups(hierarchy, coarsening);
      check_steps(hierarchy.reversed(), layers);
      check_groups(hierarchy.reversed(), coarsening);
      CHECK(hierarchy.steps(levels - 1).size() == 1);
      if (levels > 1) CHECK(hierarchy.steps(levels - 2).size() > 1);
    }
  }
}

}  // namespace cnnplan::test
