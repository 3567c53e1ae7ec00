// Ranks that a prediction need not tell apart: of each class one is lowered and walked.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

class RankClasses {
 public:
  // Up to so many ranks, a class leaves nothing out, but for how expected_latest_s rounds.
  static constexpr int exact_ranks = 16;

  // Every rank alone.
  static RankClasses each(int ranks);
  // Up to exact_ranks, two ranks are in one class when they are a multiple of
  // distance_of_like_ranks apart. Beyond, when on every mesh of the plan, along every axis, they
  // have blocks of the same size, see the same padding, need as much of their neighbours and give
  // as much to them, reach their neighbours over the same levels, share a sample with ranks that
  // lie alike in their nodes, and keep as many samples from mesh to mesh; of a layer that is
  // stationary_w, when they multiply, compute, and own of what they multiply as many channels, of
  // as many ranks. They run the same kernels and move the same halos. Two things may differ that a
  // class leaves out: how long ranks further away make their neighbours wait, and over which levels
  // blocks travel between different meshes, or parts of channels.
  // @pre validate(plan) holds
  static RankClasses of(const Plan& plan, const Platform& platform);

  int rank_count() const { return static_cast<int>(class_of_.size()); }
  int count() const { return static_cast<int>(ranks_.size()); }
  // The lowest rank of each class, ascending.
  const std::vector<int>& ranks() const { return ranks_; }
  // By class, how many ranks are in it.
  const std::vector<int>& sizes() const { return sizes_; }
  int class_of(int rank) const { return class_of_[static_cast<std::size_t>(rank)]; }

 private:
  explicit RankClasses(std::vector<int> class_of);
  // As beyond exact_ranks.
  static RankClasses of_many(const Plan& plan, const Platform& platform);

  std::vector<int> class_of_;
  std::vector<int> ranks_;
  std::vector<int> sizes_;
};

}  // namespace cnnplan
