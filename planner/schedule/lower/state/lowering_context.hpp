// Holds the fixed inputs of lowering a plan for one rank, and answers questions about them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/blocks/decomposition.hpp"
#include "planner/schedule/lower/state/kernel_specs.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Knows one rank, its plan and the request. All parts of a rank's lowering ask it.
class LoweringContext {
 public:
  // Keeps a reference to the decomposition. `lowered` says for each unit whether it is lowered;
  // empty stands for all. Units that are not lowered contribute only the tensors and gradients that
  // lowered units read.
  LoweringContext(const Decomposition& decomposition,
                  int rank,
                  const LoweringRequest& request,
                  IndexedVector<UnitIndex, bool> lowered);

  const Decomposition& decomposition() const { return decomposition_; }
  const Plan& plan() const { return decomposition_.plan(); }
  const Network& network() const { return plan().network; }
  int rank() const { return rank_; }
  const LoweringRequest& request() const { return request_; }
  bool is_inference() const { return request_.pass == Pass::inference; }

  // Returns the element of the buffers for parameters, targets and running values.
  BufferElement parameter_buffer() const;
  const LayerParameters& parameters(const Unit& unit) const {
    return network().layer(unit.head).parameters;
  }
  const LayerPlan& layer_plan(LayerIndex layer) const { return plan().layers.at(layer); }
  // Returns the name of a layer. It is empty if only some units are lowered, because such a
  // schedule only gives prices, and nobody asks for its names.
  const std::string& name_of(LayerIndex layer) const;
  const std::string& name(const Unit& unit) const { return name_of(unit.head); }
  LocalUnit local(const Unit& unit) const { return {decomposition_, unit, rank_}; }

  bool is_lowered(UnitIndex unit) const { return lowered_.empty() || lowered_[unit]; }
  // True where a lowered unit reads the output of this unit. @pre not all units are lowered
  bool is_read(const Unit& unit) const { return is_read_[unit.last]; }
  // False in inference for units that only auxiliary losses need.
  bool runs(const Unit& unit) const;
  // True where this rank has a part of the unit. Other ranks have no kernels of it.
  bool is_here(const Unit& unit) const { return local(unit).is_here(); }
  // True where backpropagation computes the output of the unit again.
  bool recomputes(const Unit& unit) const;
  // True where the kernels of a unit compute parts of sums over channels.
  bool has_partial_sums(const Unit& unit) const;
  // True where this rank adds the bias of the unit.
  bool adds_bias(const Unit& unit) const { return local(unit).adds_bias(); }

  // Return this rank's blocks, in global indices.
  Box own_box(LayerIndex layer) const { return decomposition_.owned(layer).box(rank_); }
  Box needed_box(const Unit& unit, std::size_t input) const {
    return decomposition_.needed(unit, input).box(rank_);
  }
  // Returns the box in which this rank stores its output of a unit, with room for halos.
  Box storage_box(const Unit& unit) const;
  Range own_channels(LayerIndex layer) const { return cnnplan::own_channels(plan(), layer, rank_); }

 private:
  void find_read();

  const Decomposition& decomposition_;
  int rank_;
  LoweringRequest request_;
  IndexedVector<UnitIndex, bool> lowered_;
  std::string no_name_;
  IndexedVector<LayerIndex, bool> is_read_;  // empty where all units are lowered
  IndexedVector<LayerIndex, bool> is_of_main_loss_;
};

// True where the layer belongs to a chain that multigrid runs.
bool is_by_multigrid(const LoweringContext& context, LayerIndex layer);

}  // namespace cnnplan
