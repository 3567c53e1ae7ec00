// What the lowerings of all ranks of a plan have in common, computed once for all of them.
#pragma once

#include <vector>

#include "planner/schedule/exchange.hpp"
#include "planner/schedule/fusion.hpp"
#include "planner/schedule/ownership.hpp"

namespace cnnplan {

// True for kernels that read and write whole dense buffers only.
bool needs_dense_blocks(const LayerParameters& parameters);
// True for samples that a single layer reads, in dense blocks.
bool has_one_dense_reader(const Network& network, LayerIndex samples);

// How an input is moved between ranks, and its gradient; null where it stays.
struct InputExchange {
  SharedRule forward;
  SharedRule backward;
};

class Decomposition {
 public:
  // Keeps a reference. @pre validate(plan) holds
  explicit Decomposition(const Plan& plan);

  const Plan& plan() const { return plan_; }
  // In order of execution: a fused unit runs where its last layer stands, when all inputs are
  // there.
  const std::vector<Unit>& units() const { return units_; }
  // Where a unit of these stands among them.
  std::size_t index_of(const Unit& unit) const {
    return static_cast<std::size_t>(&unit - units_.data());
  }
  // The unit that `layer` belongs to.
  const Unit& unit_of(LayerIndex layer) const;
  // Output blocks of `layer`.
  const BlockOwnership& owned(LayerIndex layer) const { return at(owned_, layer); }
  // Blocks of an input that the ranks need, in the indices of the input. The residual of a fused
  // unit is needed on the block that the unit owns.
  const BlockOwnership& needed(const Unit& unit, std::size_t input) const {
    const auto& needed = needed_.at(static_cast<std::size_t>(unit.head));
    return input < needed.size() ? needed[input] : owned(unit.last);
  }
  // Between the owners of an input and what is needed of it: where exchanges_forward and
  // exchanges_backward say so, and always into and out of the output of a layer that copies.
  const InputExchange& exchanges(const Unit& unit, std::size_t input) const {
    return exchanges_.at(index_of(unit)).at(input);
  }
  // What is needed of a layer by its only reader, which has no other input.
  const BlockOwnership& needed_by_reader(LayerIndex layer) const {
    const LayerIndex reader = plan_.network.consumers_of(layer).front();
    return needed_.at(static_cast<std::size_t>(reader)).front();
  }
  // True where a rank loads with its samples what their only reader needs of others.
  bool loads_needed(LayerIndex layer) const {
    return loads_needed_.at(static_cast<std::size_t>(layer));
  }
  // Output blocks that the kernels of a unit compute.
  const BlockOwnership& computed(const Unit& unit) const { return at(computed_, unit.head); }
  // True when the layer or one before it has parameters.
  bool requires_gradient(LayerIndex layer) const {
    return requires_gradient_.at(static_cast<std::size_t>(layer));
  }
  // True when the gradient of the output of `layer` must be a dense block: its unit's kernels read
  // no other, or it is handed on as it is to a unit for which this holds.
  // @pre the output is not fused away
  bool needs_dense_gradient(LayerIndex layer) const {
    return needs_dense_gradient_.at(static_cast<std::size_t>(layer));
  }

  const SlicedGradient& sliced_gradient(LayerIndex layer) const {
    return sliced_gradients_.at(static_cast<std::size_t>(layer));
  }

 private:
  std::vector<InputExchange> exchanges_of(const Unit& unit) const;
  bool needs_dense_gradient(const Unit& unit) const;
  static const BlockOwnership& at(const std::vector<BlockOwnership>& blocks, LayerIndex layer) {
    return blocks.at(static_cast<std::size_t>(layer));
  }

  const Plan& plan_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_indices_;              // by layer
  std::vector<BlockOwnership> owned_;                  // by layer
  std::vector<BlockOwnership> computed_;               // by layer
  std::vector<std::vector<BlockOwnership>> needed_;    // by layer and input
  std::vector<std::vector<InputExchange>> exchanges_;  // by unit and input
  std::vector<SlicedGradient> sliced_gradients_;       // by layer
  std::vector<bool> requires_gradient_;
  std::vector<bool> loads_needed_;          // by layer
  std::vector<bool> needs_dense_gradient_;  // by layer
};

}  // namespace cnnplan
