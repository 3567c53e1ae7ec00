// Holds what a step would be if layers that are split together were split otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds the prediction of a plan in which one search unit alone has another split.
struct OtherSplit {
  std::string split;              // its text
  bool is_data_parallel = false;  // it divides the samples, over as many ranks as have one
  bool is_runner_up = false;      // it came second in the search (UnitMargin::runner_up)
  double step_s = 0.0;            // predicted
  std::vector<PartTime> parts{};  // of the critical path
  std::int64_t memory_bytes = 0;  // of the rank that needs most
  bool fits = true;               // into the memory of a rank; true also where this is not known
};

// Holds the other splits of equal search units. They have equal layers with equal splits and equal
// neighbours. The first unit is priced for all of them.
struct OtherSplitsOfUnits {
  std::vector<LayerIndex> layers;        // of the priced unit; the first one chooses the split
  std::vector<LayerIndex> equal_heads;   // the layers that choose for the other units
  std::vector<LayerIndex> equal_layers;  // all layers of the other units
  std::vector<OtherSplit> others;        // without the unit's own split; may be empty
};

// Says why no layer of a plan can be split otherwise alone.
enum class NoOtherSplits {
  one_rank,         // the plan has one rank
  split_by_layers,  // chains are split by layers, or layers by stages
  sample_blocks,    // sums are over blocks of samples, so that only samples are split
};

// Compares a plan with plans in which one search unit alone has another split.
struct OtherSplits {
  std::optional<NoOtherSplits> none{};      // absent: layers were compared
  double step_s = 0.0;                      // of the plan, predicted with the prices of the others
  std::vector<PartTime> parts{};            // of the plan's critical path
  std::int64_t memory_bytes = 0;            // of the plan's rank that needs most
  std::vector<OtherSplitsOfUnits> units{};  // in the order of their layers
  bool is_complete = true;                  // no unit was left out to save time
};

}  // namespace cnnplan
