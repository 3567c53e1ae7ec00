// Lowers the multigrid cycle in either direction.
#include "planner/schedule/lower/multigrid/chain_pass.hpp"

#include "planner/schedule/lower/multigrid/group_lanes.hpp"

namespace cnnplan {

ChainPass::ChainPass(const LoweringContext& context,
                     OperationWriter& writer,
                     const ChainGeometry& geometry,
                     ChainOperator& chain_operator,
                     ChainLabels& labels,
                     const Operand& first)
    : writer_(writer),
      geometry_(geometry),
      operator_(chain_operator),
      labels_(labels),
      states_(context, writer, geometry, chain_operator, labels, first),
      traces_residuals_(context.request().residuals),
      trace_(geometry, states_, labels) {}

Operand ChainPass::run() {
  guess();
  const int cycles = geometry_.setting().cycles;
  for (int i = 1; i <= cycles; ++i) {
    labels_.begin_cycle(i);
    cycle(0);
  }
  labels_.begin_cycle(cycles + 1);
  finish();
  trace_.keep(writer_.schedule());
  return states_.at(geometry_.block_count());
}

// Solves on the coarsest level, and refines the result down to the second finest level.
void ChainPass::guess() {
  if (geometry_.setting().first_guess == FirstGuess::previous) return states_.take_kept();
  const int coarsest = geometry_.hierarchy().levels() - 1;
  labels_.begin(coarsest, "guess");
  solve(coarsest);
  for (int level = coarsest - 1; level > 0; --level) {
    labels_.begin(level, "guess");
    refresh(level);
  }
}

void ChainPass::cycle(int level) {
  if (geometry_.setting().relaxation == Relaxation::fcf) {
    labels_.begin(level, "relax_c");
    relax_c(level);
  }
  labels_.begin(level, "relax");
  relax_f(level);
  const int next = level + 1;
  if (next + 1 == geometry_.hierarchy().levels()) {
    labels_.begin(next, "solve");
    solve(next);
    return;
  }
  cycle(next);
  labels_.begin(next, "refresh");
  refresh(next);
}

// Relaxes F-points, then C-points, from the last group to the first. A C-point may be overwritten
// when the group that begins there has read it. States are sent when all of them are there, every
// other stage first, so nobody waits for a neighbour that waits itself.
void ChainPass::relax_c(int level) {
  const auto& groups = geometry_.hierarchy().groups(level);
  {
    GroupLanes lanes(geometry_, writer_, level);
    for (std::size_t group = groups.size(); group-- > 0;) {
      lanes.take(group);
      sweep(level, groups[group]);
      states_.make(level, groups[group].end - 1);
    }
  }
  for (int parity : {0, 1}) {
    for (const LayerRange& group : groups) {
      const int last = group.end - 1;
      const int stage = geometry_.stage_of(geometry_.layers_of(level, last).first);
      if (stage % 2 == parity) states_.hand_over(level, last);
    }
  }
}

void ChainPass::relax_f(int level) {
  const auto& groups = geometry_.hierarchy().groups(level);
  GroupLanes lanes(geometry_, writer_, level);
  for (int group = 0; group < std::ssize(groups); ++group) {
    lanes.take(group);
    sweep(level, groups[group]);
    const Operand propagated = states_.propagate(level, groups[group].end - 1);
    if (level == 0 && traces_residuals_) trace_.record(groups[group], propagated);
    states_.set_right_side(level + 1, group, propagated);
  }
}

void ChainPass::solve(int level) {
  for (int step = 0; step < std::ssize(geometry_.hierarchy().steps(level)); ++step) {
    states_.evaluate(geometry_.layers_of(level, step).first);
    states_.pass_on(level, step);
  }
}

void ChainPass::refresh(int level) {
  const auto& groups = geometry_.hierarchy().groups(level);
  GroupLanes lanes(geometry_, writer_, level);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    lanes.take(group);
    sweep(level, groups[group]);
  }
}

void ChainPass::finish() {
  labels_.begin_finish();
  const auto& groups = geometry_.hierarchy().groups(0);
  GroupLanes lanes(geometry_, writer_, 0);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    lanes.take(group);
    finish_group(groups[group]);
  }
}

void ChainPass::finish_group(const LayerRange& group) {
  for (int block = group.first; block < group.end; ++block) {
    const bool is_last = block + 1 == group.end;
    if (!is_last || operator_.evaluates_all()) states_.evaluate(block);
    operator_.finish(block, states_.at(block));
    if (!is_last) states_.pass_on(0, block);
  }
  if (traces_residuals_) trace_.record(group, states_.propagate(0, group.end - 1));
}

void ChainPass::sweep(int level, const LayerRange& group) {
  for (int step = group.first; step < group.end; ++step) {
    states_.evaluate(geometry_.layers_of(level, step).first);
    if (step + 1 < group.end) states_.pass_on(level, step);
  }
}

}  // namespace cnnplan
