// Lays out the parameters of one rank: slots, arenas, and the ranges that are summed together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/schedule/lower/state/lowering_context.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

// Adds the slots of a rank, and finds the slots of a layer.
class ParameterLayout {
 public:
  // Keeps references to both arguments.
  ParameterLayout(const LoweringContext& context, OperationWriter& writer);
  // Adds the slots of all lowered layers, and their arenas. Inference has no gradients and no
  // momentum. Call it once, before the other functions.
  void add_all();

  // Returns a parameter of the unit's layer as kernels read it: the copy of a weight, if there are
  // copies. @pre the unit is lowered, and its layer has the parameter
  Operand value(const Unit& unit, ParameterRole role) const;
  // Returns the gradient of a parameter, which a kernel writes.
  // @pre as value(), in training
  Operand gradient(const Unit& unit, ParameterRole role) const;
  // Returns the kernel that computes a phase of the unit's head.
  // @pre the unit is lowered, its layer mixes channels, and this rank has a part of it
  KernelSpec convolution_spec(const Unit& unit, KernelPhase phase) const;
  // Returns the slots of a range in `arena` as an operand of an update: all of them, or this rank's
  // shard if updates are sharded.
  // @pre `range` is one of this rank, and `arena` holds its parameters
  Operand updated(BufferIndex arena, const GradientRange& range, bool written) const;

 private:
  void add_slots(const Unit& unit);
  SlotIndex add_slot(const Unit& unit, ParameterRole role, const Box& box);
  BufferIndex add_arena(const std::string& name, BufferRole role);
  std::int64_t slot_elements() const;
  std::int64_t momentum_elements() const;
  SlotIndex slot(const Unit& unit, ParameterRole role) const;

  const LoweringContext& context_;
  OperationWriter& writer_;
  IndexedVector<LayerIndex, SlotIndex> first_slot_;  // -1 where the layer has no parameters
};

}  // namespace cnnplan
