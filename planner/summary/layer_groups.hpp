// Groups layers that follow each other and are split equally, and says splits in words.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns words such as "samples over 16, channels over 4" or "alike on all 8 ranks".
std::string split_words(const LayerPlan& layer, int ranks);
// Returns words such as "samples 16 x channels 4". A split over one axis has the words of
// split_words().
std::string short_split_words(const LayerPlan& layer, int ranks);

// Holds layers that follow each other in the network and have equal words. Stages, channel
// algorithms and recomputation may differ.
struct LayerGroup {
  LayerIndex first;
  LayerIndex last;    // inclusive
  std::string words;  // split_words() of each of these layers
  bool operator==(const LayerGroup&) const = default;
};

// Returns the groups in the order of the network. They cover all layers.
std::vector<LayerGroup> layer_groups(const Plan& plan);

// Counts the layers that have the same words, wherever they are.
struct SplitCount {
  std::string words;        // split_words()
  std::string short_words;  // short_split_words()
  int layers = 0;
  bool operator==(const SplitCount&) const = default;
};
// Returns the counts, the largest first.
std::vector<SplitCount> split_counts(const Plan& plan);

// True if each layer is either split over samples and over nothing else, or computed alike by all
// ranks, and at least one layer is split.
bool is_data_parallel(const Plan& plan);

}  // namespace cnnplan
