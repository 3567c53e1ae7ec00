// Groups ranks that a prediction need not tell apart: one rank of each class is walked for all.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Assigns a class to every rank of a program.
class RankClasses {
 public:
  // Up to this number of ranks, classes leave nothing out. They only change the order in which
  // expected_latest_s (planner/predict/arrival.hpp) combines the times of ranks.
  static constexpr int exact_ranks = 16;

  // Puts every rank in a class of its own.
  static RankClasses each(int ranks);
  // Returns the classes of a plan. Up to exact_ranks, two ranks are in one class when they are a
  // multiple of representative_distance apart. Beyond exact_ranks, ranks of one class run equal
  // kernels and move equal halos. Their features are equal:
  // - On every mesh of the plan, along n, c, d, h and w, their blocks have the same size and
  //   padding. They exchange as much with their neighbours, and along c, d, h and w over the same
  //   levels.
  // - On a mesh with an axis l, they are at one stage, and exchange states with the stages before
  //   and after it over the same levels.
  // - The ranks that share a sample with them are at the same places in their nodes. They keep
  //   equally many samples where tensors move from one mesh to another.
  // - In a layer that is stationary_w, they multiply and compute as many channels, own as many of
  //   the multiplied ones, and exchange them with as many ranks.
  // These features leave out three things: how long ranks further away make neighbours wait, over
  // which levels blocks travel between meshes or parts of channels, and the sizes of shards.
  // @pre validate(plan) holds, and the platform has a level
  static RankClasses of(const Plan& plan, const Platform& platform);

  int rank_count() const { return static_cast<int>(class_of_.size()); }
  int count() const { return static_cast<int>(representatives_.size()); }
  // Returns the lowest rank of each class, ascending.
  const std::vector<int>& representatives() const { return representatives_; }
  // Returns by class how many ranks are in it.
  const std::vector<int>& sizes() const { return sizes_; }
  // Returns the number of the rank's class. Classes are numbered by their lowest ranks.
  int class_of(int rank) const { return class_of_[rank]; }

 private:
  explicit RankClasses(std::vector<int> class_of);
  // Returns the classes beyond exact_ranks.
  static RankClasses of_many(const Plan& plan, const Platform& platform);

  std::vector<int> class_of_;
  std::vector<int> representatives_;
  std::vector<int> sizes_;
};

}  // namespace cnnplan
