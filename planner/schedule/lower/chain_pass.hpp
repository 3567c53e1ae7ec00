// One pass of multigrid through a residual chain, forward or backward: full approximation storage
// with injection (Kirby et al. 2020, algorithm 1), written out as operations.
//
// A pass takes a state from point to point: u_n to u_{n+1} = u_n + h F(u_n), or with the error
// signal lambda_{n+1} to lambda_n. Points, blocks and steps are numbered in its direction. A step
// of a level takes the derivative, F or its adjoint, of its first block, and a derivative that was
// evaluated on one level serves the same state on all: k cycles of F-relaxation from a first guess
// on the coarsest level evaluate every block k + 1 times.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/network/residual_chain.hpp"
#include "planner/schedule/blocks/layer_hierarchy.hpp"
#include "planner/schedule/lower/lowering.hpp"

namespace cnnplan {

class Lowering::ChainPass {
 public:
  // Keeps a reference to `lowering`. `blocks` and `hierarchy` are in the direction of the pass.
  ChainPass(Lowering& lowering,
            const Multigrid& setting,
            ResidualChain blocks,
            LayerHierarchy hierarchy);
  virtual ~ChainPass() = default;
  ChainPass(const ChainPass&) = delete;
  ChainPass& operator=(const ChainPass&) = delete;

  // Computes the states of all points from the state of the first point, which the ranks of the
  // first block have. Returns the state of the last point, which the ranks of the last block have.
  Operand run(const Operand& first);

 protected:
  Lowering& lowering() const { return lowering_; }
  int block_count() const { return static_cast<int>(blocks_.size()); }
  const ResidualBlock& block(int index) const { return blocks_[static_cast<std::size_t>(index)]; }
  const Unit& transform(int block) const;
  const Unit& sum(int block) const;
  // Returns the coordinate along axis l of the ranks that have a block.
  int stage_of(int block) const;
  bool is_here(int block) const { return is_at(stage_of(block)); }
  const Operand& state(int point) const { return states_[static_cast<std::size_t>(point)]; }
  // True where the state of a point is the next step's first guess, which holds for C-points of the
  // finest level between layers.
  bool is_kept(int point) const { return maker_of(point) >= 0; }
  // True where the ranks that have the layer before a kept point also make its state.
  bool is_kept_where_layer_is(int point) const {
    return is_kept(point) && maker_of(point) == stage_of(point - 1);
  }
  Operand new_block(const std::string& name) const { return new_block(name, role()); }
  Operand new_block(const std::string& name, BufferRole role) const;
  // An operation of this pass, for example "conv/forward/cycle_1/relax/level_0", with its label.
  LabelledId named(LayerIndex layer) const { return named(layer, word()); }
  LabelledId named(LayerIndex layer, const std::string& word) const;

 private:
  int maker_of(int point) const { return makers_[static_cast<std::size_t>(point)]; }
  // Computes the derivative of a block at its state. It is called on the ranks of the block.
  virtual Operand derivative_at(int block) = 0;
  // Returns the factor of a derivative for a step of length 1.
  virtual double scale_of(int block) const = 0;
  // Return memory for the state of a point: `computed` on the ranks of `stage`, which compute the
  // state, and `received` on the ranks that go on from it. Kept points always get one buffer.
  virtual Operand computed(int point, int stage) = 0;
  virtual Operand received(int point) = 0;
  // Called for every block in order, on all ranks, when its derivative is that of its last state.
  virtual void finish(int block) = 0;
  virtual bool evaluates_all() const = 0;  // in the end, also derivatives that no state needs
  virtual KernelPhase phase() const = 0;   // of its kernels
  virtual BufferRole role() const = 0;

  // The cycle.
  void guess();
  void find_makers();
  void take_kept();
  void cycle(int level);
  void relax_c(int level);
  void relax_f(int level);
  void restrict_group(int level, int group);
  void solve(int level);
  void refresh(int level);
  void finish_all();

  // While a Lanes lives, this rank's groups of a level are spread over as many lanes as the setting
  // says.
  class Lanes;

  // Adds the residual of the C-point after a group of the finest level. The layers of the group
  // make the state `propagated`.
  void trace(const LayerRange& group, const Operand& propagated);
  void trace_last(const LayerRange& group);
  // Keeps the residuals of points that have all of them, so that all norms are of the same points.
  void keep_traced();

  // Its parts.
  void sweep(int level, const LayerRange& group);
  void evaluate(int block);
  void advance(int level, int step, const Operand& target);
  // Makes the state at the end of a step, and hands it over.
  void pass_on(int level, int step);
  void make(int level, int step);
  void hand_over(int level, int step);
  Operand moved(const Operand& source, int from, int to, const Operand& target, int block);
  void add(int block, const std::string& suffix, double scale, std::vector<Operand> operands);

  bool is_at(int stage) const;
  int home_of(int point) const;
  BlockOwnership blocks_at(int stage) const;
  std::string word() const { return std::string(to_text(phase())); }
  const LayerRange& layers_of(int level, int step) const;
  double length_of(const LayerRange& layers) const;
  void begin(int level, const std::string& part);

  Lowering& lowering_;
  Multigrid setting_;
  ResidualChain blocks_;
  LayerHierarchy hierarchy_;
  int own_stage_;
  Operand nothing_;                                // on ranks that do not have a state
  std::vector<Operand> states_;                    // by point, on the ranks that go on from it
  std::vector<Operand> made_;                      // by point, on the ranks that computed the state
  std::vector<int> made_at_;                       // by point, their stage
  std::vector<Operand> derivatives_;               // by block
  std::vector<bool> is_fresh_;                     // by block: the derivative belongs to the state
  std::vector<std::vector<Operand>> right_sides_;  // by level and step; level 0 has none
  std::vector<int> makers_;  // by point: the stage that makes its last state; -1 if not kept
  std::map<int, std::vector<PointResidual>> traced_;  // by point
  int cycle_ = 0;
  std::string pass_;  // the stage of the cycle that is under way, as ids name it
  int level_ = 0;     // of this stage
};

}  // namespace cnnplan
