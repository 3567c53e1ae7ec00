// Holds the figures of the machine on which the choices of a plan depend.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/what_if/what_if.hpp"

namespace cnnplan {

// Describes the best plan in which some layers have another split than in the plan.
struct RunnerUpPlan {
  // These layers choose a split and have this plan as their runner-up. One plan may come second
  // for several layers.
  std::vector<std::string> layers;
  std::string split;        // the split of the first layer in the plan
  std::string runner_up;    // the split of the first layer in this runner-up
  std::size_t changes = 1;  // layers that choose another split here, the first one included
  double margin_s = 0.0;    // the runner-up's operations take this much longer in sum
  bool operator==(const RunnerUpPlan&) const = default;
};

// Says at which value of a figure the operations of a runner-up and of the plan take equally long.
struct Flip {
  std::size_t runner_up = 0;  // an index of Sensitivity::runner_ups
  // This is the figure with its current value. For times of kernels, the value is their part of the
  // plan's sum.
  PriceFigure figure;
  double factor = 1.0;  // multiplies all values of the figure
  bool operator==(const Flip&) const = default;
};

// Says why no runner-up was compared.
enum class NoRunnerUp {
  compared,         // some were
  older_plan,       // an older cnnplan wrote the plan, without the changes of runner-ups
  split_by_layers,  // the plan splits chains by layers, which has no sum to compare
  no_search,        // the plan was made with a mesh for all layers
  other_choices,    // the plan is none that the search makes layer by layer
  entangled,        // branches of the network are too entangled for exact sums
  none_near,        // no layer has a runner-up (UnitMargin::runner_up)
  shorter,          // they take less in sum: the plan was taken for its step or its memory
  many_changes,     // they differ from the plan in too many layers
};

// Holds the result of comparing a plan with its runner-ups, figure by figure.
struct Sensitivity {
  double sum_s = 0.0;        // the sum of the plan's operations in Prediction::margins_sum
  double most_factor = 1.0;  // factors between its reciprocal and itself were tried
  std::vector<MachineFigure> figures;    // figures on which any of these plans depends
  std::vector<RunnerUpPlan> runner_ups;  // the compared runner-ups, the smallest margin first
  std::vector<Flip> flips;               // the factor nearest to 1 comes first
  // Lists layers whose runner-up was not compared. It takes less in sum than the plan, which was
  // taken for its step in virtual time or its memory, or it differs from the plan in too many
  // layers.
  std::vector<std::string> shorter;
  NoRunnerUp no_runner_up = NoRunnerUp::compared;
  bool operator==(const Sensitivity&) const = default;
};

}  // namespace cnnplan
