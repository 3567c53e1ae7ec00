// Names the operations of a pass through a chain by the part of the cycle that is under way.
#pragma once

#include <string>

#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

// Knows which part of which cycle is under way. ChainPass tells it, and the classes that add
// operations ask it for names.
class ChainLabels {
 public:
  // Keeps a reference to the network. `phase` is the phase of the pass's kernels.
  ChainLabels(const Network& network, KernelPhase phase) : network_(network), phase_(phase) {}

  KernelPhase phase() const { return phase_; }
  // Returns the number of the cycle: 0 in the first guess, and one more than the last cycle while
  // all blocks are evaluated after it.
  int cycle() const { return cycle_; }
  void begin_cycle(int cycle) { cycle_ = cycle; }
  // Begins a part of the cycle, such as "relax", on a level.
  void begin(int level, const std::string& part) {
    part_ = cycle_ == 0 ? part : "cycle_" + std::to_string(cycle_) + '/' + part;
    part_ += "/level_" + std::to_string(level);
    level_ = level;
  }
  // Begins the evaluation of all blocks after the last cycle.
  void begin_finish() {
    part_ = "finish";
    level_ = 0;
  }

  // Returns a name such as "conv/forward/cycle_1/relax/level_0", followed by `suffix`.
  LabelledId named(LayerIndex layer, const std::string& suffix = "") const {
    return named(layer, std::string(to_text(phase_)), suffix);
  }
  // Returns a name with `word` instead of the phase.
  LabelledId named(LayerIndex layer, const std::string& word, const std::string& suffix) const {
    OperationLabel label = kernel_label(layer, phase_);
    label.level = level_;
    return {.id = network_.layer(layer).name + '/' + word + '/' + part_ + suffix, .label = label};
  }

 private:
  const Network& network_;
  KernelPhase phase_;
  int cycle_ = 0;
  std::string part_;
  int level_ = 0;
};

}  // namespace cnnplan
