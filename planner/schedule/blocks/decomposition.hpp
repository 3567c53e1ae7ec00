// Holds the blocks and exchanges that the lowerings of all ranks share. They are computed once, for
// the whole plan or for some of its units.
#pragma once

#include <optional>
#include <vector>

#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fused_units.hpp"
#include "planner/schedule/blocks/ownership.hpp"

namespace cnnplan {

// Says how an input and its gradient move between ranks. A rule is null where nothing moves.
// blocks_of_sums() (exchange.hpp) says where gradients are summed before their owners get them.
// RankBoxes::divided_in_nodes says which parts of an input nodes gather first. If they do,
// `forward` is not run.
struct InputExchange {
  SharedRule forward;   // from owned to needed blocks of the input
  SharedRule to_parts;  // from owned blocks to parts of needed blocks, if nodes gather the input
  SharedRule of_parts;  // from these parts to needed blocks
  SharedRule backward;  // from parts of the gradient to its owners, or to blocks_of_sums
  SharedRule of_sums;   // from blocks_of_sums to the owners
};

// Knows which blocks of the tensors of units the ranks own, need and compute.
class Decomposition : public FusedUnits {
 public:
  // Computes everything for all units. Keeps a reference to the plan. @pre validate(plan) holds
  explicit Decomposition(const Plan& plan);
  // Computes the exchanges of the wanted units only, and the blocks of their layers, their inputs,
  // the readers of both, and all losses. Where multigrid runs a chain, it computes all blocks.
  // Exchanges of other units must not be asked for.
  Decomposition(FusedUnits units, const IndexedVector<UnitIndex, bool>& wanted);

  // Returns the output blocks of `layer`.
  const RankBoxes& owned(LayerIndex layer) const { return at(owned_, layer); }
  // Returns the blocks of an input that the ranks need, in the indices of the input. The residual
  // of a fused unit is needed on the block that the unit owns.
  const RankBoxes& needed(const Unit& unit, std::size_t input) const {
    const auto& needed = needed_.at(unit.head);
    return input < needed.size() ? needed[input] : owned(unit.last);
  }
  // Returns the exchanges between the owned and the needed blocks of an input. They exist where
  // exchanges_forward and exchanges_backward hold.
  const InputExchange& exchanges(const Unit& unit, std::size_t input) const {
    return exchanges_.at(index_of(unit)).at(input);
  }
  // Returns the blocks of a layer's output that its only reader needs. @pre the reader has one
  // input
  const RankBoxes& needed_by_reader(LayerIndex layer) const {
    const LayerIndex reader = plan().network.consumers_of(layer).front();
    return needed_.at(reader).front();
  }
  // True for an input layer whose only reader gets its halos from the data, because ranks load the
  // blocks that it needs.
  bool loads_needed(LayerIndex layer) const { return loads_needed_.at(layer); }
  // Returns the output blocks that the kernels of a unit compute.
  const RankBoxes& computed(const Unit& unit) const { return at(computed_, unit.head); }

 private:
  using Blocks = IndexedVector<LayerIndex, std::optional<RankBoxes>>;

  // Adds the blocks and the exchanges of these units.
  void add(const IndexedVector<UnitIndex, bool>& wanted);
  IndexedVector<LayerIndex, bool> layers_around(const IndexedVector<UnitIndex, bool>& wanted) const;
  void add_blocks(const IndexedVector<LayerIndex, bool>& layers);
  std::vector<InputExchange> exchanges_of(const Unit& unit) const;
  // Adds the rules of a unit whose nodes gather its input, if they can.
  void add_gather(const Unit& unit, InputExchange& exchange) const;
  static const RankBoxes& at(const Blocks& blocks, LayerIndex layer) {
    return blocks.at(layer).value();
  }

  Blocks owned_;
  Blocks computed_;
  IndexedVector<LayerIndex, std::vector<RankBoxes>> needed_;        // by input of the layer
  IndexedVector<UnitIndex, std::vector<InputExchange>> exchanges_;  // by input of the unit
  IndexedVector<LayerIndex, bool> loads_needed_;
};

}  // namespace cnnplan
