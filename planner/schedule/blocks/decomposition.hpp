// What the lowerings of all ranks of a plan have in common, computed once for all of them, and of
// the part of it that is lowered alone.
#pragma once

#include <optional>
#include <vector>

#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fused_units.hpp"
#include "planner/schedule/blocks/ownership.hpp"

namespace cnnplan {

// How an input is moved between ranks, and its gradient; null where it stays.
struct InputExchange {
  SharedRule forward;
  SharedRule backward;
};

// Units, and which blocks of their tensors the ranks own, need and compute.
class Decomposition : public FusedUnits {
 public:
  // Keeps a reference. @pre validate(plan) holds
  explicit Decomposition(const Plan& plan);
  // With the blocks of these units, of what they read, of the readers of both and of losses, where
  // multigrid runs a chain those of all, and with the exchanges of these units; those of others
  // must not be asked for. @pre `wanted` is by unit
  Decomposition(FusedUnits units, const std::vector<bool>& wanted);

  // Output blocks of `layer`.
  const BlockOwnership& owned(LayerIndex layer) const { return at(owned_, layer); }
  // Blocks of an input that the ranks need, in the indices of the input. The residual of a fused
  // unit is needed on the block that the unit owns.
  const BlockOwnership& needed(const Unit& unit, std::size_t input) const {
    const auto& needed = needed_.at(unit.head);
    return input < needed.size() ? needed[input] : owned(unit.last);
  }
  // Between the owners of an input and what is needed of it: where exchanges_forward and
  // exchanges_backward say so, and always into and out of the output of a layer that copies.
  const InputExchange& exchanges(const Unit& unit, std::size_t input) const {
    return exchanges_.at(index_of(unit)).at(input);
  }
  // What is needed of a layer by its only reader, which has no other input.
  const BlockOwnership& needed_by_reader(LayerIndex layer) const {
    const LayerIndex reader = plan().network.consumers_of(layer).front();
    return needed_.at(reader).front();
  }
  // True where a rank loads with its samples what their only reader needs of others.
  bool loads_needed(LayerIndex layer) const { return loads_needed_.at(layer); }
  // Output blocks that the kernels of a unit compute.
  const BlockOwnership& computed(const Unit& unit) const { return at(computed_, unit.head); }

 private:
  using Blocks = std::vector<std::optional<BlockOwnership>>;  // by layer

  // Blocks and exchanges of these units.
  void add(const std::vector<bool>& wanted);
  std::vector<bool> layers_around(const std::vector<bool>& wanted) const;
  // Of these layers.
  void add_blocks(const std::vector<bool>& layers);
  std::vector<InputExchange> exchanges_of(const Unit& unit) const;
  static const BlockOwnership& at(const Blocks& blocks, LayerIndex layer) {
    return blocks.at(layer).value();
  }

  Blocks owned_;
  Blocks computed_;
  std::vector<std::vector<BlockOwnership>> needed_;    // by layer and input
  std::vector<std::vector<InputExchange>> exchanges_;  // by unit and input
  std::vector<bool> loads_needed_;                     // by layer
};

}  // namespace cnnplan
