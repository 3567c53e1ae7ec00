// The units of a plan, and what is true of their tensors whatever the ranks own.
#pragma once

#include <vector>

#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fusion.hpp"

namespace cnnplan {

// True for kernels that read and write whole dense buffers only.
bool needs_dense_blocks(const LayerParameters& parameters);
// True for samples that a single layer reads, in dense blocks.
bool has_one_dense_reader(const Network& network, LayerIndex samples);

class FusedUnits {
 public:
  // Keeps a reference. @pre validate(plan) holds
  explicit FusedUnits(const Plan& plan);

  const Plan& plan() const { return plan_; }
  // In order of execution: a fused unit runs where its last layer stands, when all inputs are
  // there.
  const std::vector<Unit>& units() const { return units_; }
  // Where a unit of these stands among them.
  std::size_t index_of(const Unit& unit) const {
    return static_cast<std::size_t>(&unit - units_.data());
  }
  // The unit that `layer` belongs to.
  const Unit& unit_of(LayerIndex layer) const { return units_.at(unit_indices_.at(layer)); }
  // True when the layer or one before it has parameters.
  bool requires_gradient(LayerIndex layer) const { return requires_gradient_.at(layer); }
  // True when the gradient of the output of `layer` must be a dense block: its unit's kernels read
  // no other, or it is handed on as it is to a unit for which this holds.
  // @pre the output is not fused away
  bool needs_dense_gradient(LayerIndex layer) const { return needs_dense_gradient_.at(layer); }
  const SlicedGradient& sliced_gradient(LayerIndex layer) const {
    return sliced_gradients_.at(layer);
  }

 private:
  bool needs_dense_gradient(const Unit& unit) const;

  const Plan& plan_;
  std::vector<Unit> units_;
  std::vector<std::size_t> unit_indices_;         // by layer
  std::vector<SlicedGradient> sliced_gradients_;  // by layer
  std::vector<bool> requires_gradient_;           // by layer
  std::vector<bool> needs_dense_gradient_;        // by layer
};

}  // namespace cnnplan
