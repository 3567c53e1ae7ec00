// Defines what a pass through a chain computes: F of each block forward, and its adjoint backward.
#pragma once

#include "planner/schedule/lower/multigrid/chain_geometry.hpp"
#include "planner/schedule/lower/state/operation_writer.hpp"

namespace cnnplan {

// Adds the operations of single blocks to the schedule, while ChainPass and ChainStates decide
// which blocks and states are computed. Blocks and points are numbered as in ChainGeometry.
class ChainOperator {
 public:
  ChainOperator() = default;
  virtual ~ChainOperator() = default;
  ChainOperator(const ChainOperator&) = delete;
  ChainOperator& operator=(const ChainOperator&) = delete;

  // Adds the kernels of a block's derivative at `state`, and returns the derivative. It is called
  // on the ranks of the block.
  virtual Operand derivative(int block, const Operand& state) = 0;
  // Returns the factor by which a derivative is multiplied in a step of length 1.
  virtual double scale_of(int block) const = 0;
  // Returns the memory for the state of a point that the ranks of `stage` compute. It is called on
  // these ranks.
  virtual Operand computed(int point, int stage) = 0;
  // Returns the memory for the state of a point that the ranks that go on from it receive. It is
  // called on these ranks. A point that is kept always has the same memory.
  virtual Operand received(int point) = 0;
  // Takes the last state of the point from which a block leads. It is called on all ranks, in the
  // order of the blocks.
  virtual void finish(int block, const Operand& state) = 0;
  // True if the derivatives of all blocks at the last states are needed, because the gradients of
  // the weights are computed from them. Otherwise, only those are evaluated on which a state
  // depends.
  virtual bool evaluates_all() const = 0;
  // Returns the role of the states' memory.
  virtual BufferRole role() const = 0;
};

// Adds memory for a state on this rank's stage.
inline Operand add_state(const ChainGeometry& geometry,
                         OperationWriter& writer,
                         const std::string& name,
                         BufferRole role) {
  return writer.builder().read(writer.add_block(name, role, geometry.own_box()));
}

}  // namespace cnnplan
