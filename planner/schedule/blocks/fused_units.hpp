// Lists the units of a plan, with the properties of their tensors that no split changes.
#pragma once

#include <vector>

#include "planner/network/layer_signature.hpp"
#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fusion.hpp"

namespace cnnplan {

// True for kinds of layers whose kernels read and write whole dense buffers only, not blocks inside
// a larger buffer.
bool needs_dense_blocks(const LayerTraits& traits);
// True for samples that a single layer reads, in dense blocks.
bool has_one_dense_reader(const Network& network, LayerIndex samples);

// Holds everything about a tensor and one of its readers that the exchanges between them depend on,
// except the splits of both. The search prices an exchange from this value and the splits alone.
struct ReadSignature {
  LayerSignature reader{};
  GradientUse gradient_use{};        // of the reader's gradient, if the tensor has no replicas
  bool requires_gradient = false;    // a layer at or before the tensor has parameters
  bool may_load_needed = false;      // has_one_dense_reader
  bool is_dense = false;             // the kernels of the tensor's layer write dense blocks only
  bool is_dense_when_fused = false;  // kernels that fuse the layer write dense blocks only
  int readers = 1;                   // of the tensor
  auto operator<=>(const ReadSignature&) const = default;

  // True where the kernels that write the tensor under this split write dense blocks only.
  bool writes_dense_blocks(const Split& split) const {
    return is_dense || (is_dense_when_fused && writes_dense_relu(split));
  }
};

// Holds the units of a plan, as fuse() finds them.
class FusedUnits {
 public:
  // Keeps a reference to the plan. @pre validate(plan) holds
  explicit FusedUnits(const Plan& plan);

  const Plan& plan() const { return plan_; }
  // Returns the units in order of execution. A fused unit runs in the place of its last layer.
  const IndexedVector<UnitIndex, Unit>& units() const { return units_; }
  // Returns the place of a unit in units(). @pre the unit is one of units()
  UnitIndex index_of(const Unit& unit) const { return UnitIndex(&unit - units_.data()); }
  // Returns the unit that `layer` belongs to.
  const Unit& unit_of(LayerIndex layer) const { return units_.at(unit_indices_.at(layer)); }
  // True when the layer or one before it has parameters.
  bool requires_gradient(LayerIndex layer) const { return requires_gradient_.at(layer); }
  // True when the gradient of the output of `layer` must be a dense block. Either the unit's
  // kernels read only dense blocks, or the unit passes the gradient on unchanged to a unit that
  // needs it dense. False for a unit with a fused ReLU.
  // @pre the output is not fused away
  bool needs_dense_gradient(LayerIndex layer) const { return needs_dense_gradient_.at(layer); }
  const SlicedGradient& sliced_gradient(LayerIndex layer) const {
    return sliced_gradients_.at(layer);
  }
  // Returns how the gradient from a reader may be used. The caller sets `shared` and `replicas`.
  GradientUse gradient_use(LayerIndex source, LayerIndex reader) const {
    return {.dense = needs_dense_gradient(source), .sliced = sliced_gradient(reader)};
  }
  // Returns what exchanges of this input depend on, besides the splits.
  // @pre the plan fuses all layers that some split fuses, and the reader has this input
  ReadSignature read_signature(LayerIndex reader, std::size_t input) const;

 private:
  bool needs_dense_gradient(const Unit& unit) const;

  const Plan& plan_;
  IndexedVector<UnitIndex, Unit> units_;
  IndexedVector<LayerIndex, UnitIndex> unit_indices_;
  IndexedVector<LayerIndex, SlicedGradient> sliced_gradients_;
  IndexedVector<LayerIndex, bool> requires_gradient_;
  IndexedVector<LayerIndex, bool> needs_dense_gradient_;
};

}  // namespace cnnplan
