// Says how often a plan stays the fastest if figures of the machine are wrong, and which figure
// decides.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Counts the draws in which the plan is faster than a rival.
struct Wins {
  std::size_t rival = 0;  // an index of Prediction::rivals
  int draws = 0;
  bool operator==(const Wins&) const = default;
};

// Says what has to be measured: kernels by a profile, or links by a platform.
enum class Measurement { kernels, links };

// Says how sure the choice of a plan is.
struct Confidence {
  int draws = 0;            // in which the plan was predicted
  std::vector<Wins> wins;   // over each other plan among the rivals that fits and has as many draws
  std::size_t closest = 0;  // an index of `wins`: fewest draws, then shortest step of the rival
  // An index of `wins`: the fastest data-parallel run that fits, where the closest rival is another
  // plan. Missing where `wins` lacks that run, as it does if the plan is data parallelism itself.
  std::optional<std::size_t> data_parallel{};
  // The figure whose error decides most between the plan and its closest rival, as DrawnFigure
  // names it. It is one of those that `measurement` would measure. Empty if no figure explains any
  // difference.
  std::string figure;
  // The figure explains this share of the variance of log(rival's step / plan's step) over the
  // draws (R squared).
  double share = 0.0;
  Measurement measurement = Measurement::kernels;  // that would settle the choice
  // If `measurement` is `kernels`, these are at most three layers whose estimated kernels take the
  // most time of the plan's critical path. If the closest rival is data parallelism on as many
  // ranks, layers split over samples only come last, because errors of their kernels cancel.
  std::vector<std::string> layers{};
  bool operator==(const Confidence&) const = default;
};

// Evaluates the draws of a plan. Returns nothing for plans without draws, or without a rival that
// `wins` can count.
std::optional<Confidence> confidence_of(const Plan& plan);

// Returns the square of the correlation of two lists of equal length; 0 where one is constant.
double correlation_squared(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace cnnplan
