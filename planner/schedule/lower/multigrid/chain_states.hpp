// Holds the states of a pass through a chain, and adds operations that lead from point to point.
//
// A step from a point takes the derivative of its first block: u_n to u_{n+1} = u_n + h F(u_n), or
// with the error signal lambda_{n+1} to lambda_n. A derivative that was evaluated on one level
// serves the same state on all levels.
#pragma once

#include <string>
#include <vector>

#include "planner/schedule/lower/multigrid/chain_labels.hpp"
#include "planner/schedule/lower/multigrid/chain_operator.hpp"

namespace cnnplan {

// Knows the current state of every point and the current derivative of every block on this rank.
// "Computes" means that a function adds the operations to the schedule. A step is named by its
// level and its number on the level (LayerHierarchy).
class ChainStates {
 public:
  // Keeps references to all arguments except `first`. `first` is the state of the first point, on
  // the ranks of the first block.
  ChainStates(const LoweringContext& context,
              OperationWriter& writer,
              const ChainGeometry& geometry,
              ChainOperator& chain_operator,
              const ChainLabels& labels,
              const Operand& first);

  // Returns the state of a point, on the ranks that go on from it. Other ranks get an absent
  // operand, as from made() on ranks that did not compute the state.
  const Operand& at(int point) const { return states_[point]; }
  // Returns the state of a point on the ranks that computed it, and the stage of these ranks. The
  // stage is -1 before the state is computed.
  const Operand& made(int point) const { return made_[point]; }
  int made_at(int point) const { return made_at_[point]; }
  // Takes the states that the last cycle of the previous training step left at kept points
  // (ChainGeometry::is_kept).
  void take_kept();

  // Computes the derivative of a block at its current state, unless that was done before.
  void evaluate(int block);
  // make() computes the state at the end of a step, on the ranks of its first block. hand_over()
  // moves it to the ranks that go on from the point. pass_on() does both.
  void pass_on(int level, int step);
  void make(int level, int step);
  void hand_over(int level, int step);
  // Computes the state to which a step leads from the current state of its first point. It is
  // written to memory of its own, so the point at the end of the step keeps its state. Call it on
  // all ranks; the result is valid on the ranks of the step's first block.
  Operand propagate(int level, int step);
  // Sets the right side of a step of a coarse level to the difference of two states: `propagated`,
  // to which the steps of the finer level lead, less the state to which the coarse step leads. In
  // Kirby et al. 2020, algorithm 1, it is L_H(U_H) + R_H, without U_H.
  void set_right_side(int level, int step, const Operand& propagated);
  // Adds the operation target = first + scale * second for the operands (first, second, target).
  void add(int block, const std::string& suffix, double scale, std::vector<Operand> operands);
  // Adds memory for a state on this rank's stage.
  Operand new_block(const std::string& name);

 private:
  void advance(int level, int step, const Operand& target);
  Operand moved(const Operand& source, int from, int to, const Operand& target, int block);
  int last_step_in(int level, int step) const;

  const LoweringContext& context_;
  OperationWriter& writer_;
  const ChainGeometry& geometry_;
  ChainOperator& operator_;
  const ChainLabels& labels_;
  Operand absent_;                                 // on ranks that do not have a state
  std::vector<Operand> states_;                    // by point
  std::vector<Operand> made_;                      // by point
  std::vector<int> made_at_;                       // by point
  std::vector<Operand> derivatives_;               // by block
  std::vector<bool> is_fresh_;                     // by block: derivative is at current state
  std::vector<std::vector<Operand>> right_sides_;  // by level and step; level 0 has none
};

}  // namespace cnnplan
