// Adds the kernels and transfers of single steps.
#include "planner/schedule/lower/multigrid/chain_states.hpp"

#include <utility>

namespace cnnplan {

ChainStates::ChainStates(const LoweringContext& context,
                         OperationWriter& writer,
                         const ChainGeometry& geometry,
                         ChainOperator& chain_operator,
                         const ChainLabels& labels,
                         const Operand& first)
    : context_(context),
      writer_(writer),
      geometry_(geometry),
      operator_(chain_operator),
      labels_(labels),
      absent_(writer.absent_operand()) {
  const int blocks = geometry.block_count();
  states_.assign(blocks + 1, absent_);
  states_[0] = first;
  made_.assign(blocks + 1, absent_);
  made_at_.assign(blocks + 1, -1);
  derivatives_.resize(blocks);
  is_fresh_.assign(blocks, false);
  const LayerHierarchy& hierarchy = geometry.hierarchy();
  for (int level = 0; level < hierarchy.levels(); ++level) {
    right_sides_.emplace_back(level == 0 ? 0 : hierarchy.steps(level).size());
  }
}

void ChainStates::take_kept() {
  for (int point = 1; point < geometry_.block_count(); ++point) {
    if (!geometry_.is_kept(point)) continue;
    const int from = geometry_.maker_of(point);
    const int to = geometry_.home_of(point);
    if (geometry_.is_at(from) && from == geometry_.stage_of(point - 1)) {
      made_[point] = operator_.computed(point, from);
    }
    made_at_[point] = from;
    if (geometry_.is_at(to)) states_[point] = from == to ? made_[point] : operator_.received(point);
  }
}

void ChainStates::evaluate(int block) {
  if (is_fresh_[block]) return;
  is_fresh_[block] = true;
  if (geometry_.is_here(block)) derivatives_[block] = operator_.derivative(block, at(block));
}

// Computes the state after a step into `target`, on the ranks of its first block.
void ChainStates::advance(int level, int step, const Operand& target) {
  const LayerRange& layers = geometry_.layers_of(level, step);
  const int first = layers.first;
  if (!geometry_.is_here(first)) return;
  add(first,
      "",
      geometry_.length_of(layers) * operator_.scale_of(first),
      {at(first), derivatives_[first], target});
  if (level == 0 || labels_.cycle() == 0) return;
  const auto& right_sides = right_sides_[level];
  const Unit& unit = geometry_.sum(first);
  writer_.kernel(
      unit,
      labels_.named(unit.head, "/correct"),
      element_wise_spec(context_.local(unit), KernelKind::accumulate, KernelPhase::forward),
      {target, right_sides[step], as_written(target)});
}

void ChainStates::pass_on(int level, int step) {
  make(level, step);
  hand_over(level, step);
}

void ChainStates::make(int level, int step) {
  const LayerRange& layers = geometry_.layers_of(level, step);
  const int point = layers.end;
  const int stage = geometry_.stage_of(layers.first);
  made_[point] = geometry_.is_at(stage) ? operator_.computed(point, stage) : absent_;
  made_at_[point] = stage;
  advance(level, step, made_[point]);
}

void ChainStates::hand_over(int level, int step) {
  const LayerRange& layers = geometry_.layers_of(level, step);
  const int point = layers.end;
  const int from = made_at_[point];
  const int to = geometry_.home_of(point);
  const bool receives = geometry_.is_at(to) && from != to;
  const Operand target = receives ? operator_.received(point) : absent_;
  states_[point] = moved(made_[point], from, to, target, layers.first);
  if (point < geometry_.block_count()) is_fresh_[point] = false;
}

Operand ChainStates::propagate(int level, int step) {
  const int first = geometry_.layers_of(level, step).first;
  const Operand propagated = geometry_.is_here(first) ? new_block("propagated") : absent_;
  advance(level, step, propagated);
  return propagated;
}

void ChainStates::set_right_side(int level, int step, const Operand& propagated) {
  const LayerRange& coarse = geometry_.layers_of(level, step);
  const int first = coarse.first;
  const int last = geometry_.layers_of(level - 1, last_step_in(level, step)).first;
  const int here = geometry_.stage_of(first);
  const int from = geometry_.stage_of(last);
  const bool receives = geometry_.is_at(here) && from != here;
  const Operand target = receives ? new_block("propagated") : absent_;
  const Operand end = moved(propagated, from, here, target, last);
  if (!geometry_.is_at(here)) return;
  const Operand coarse_step = new_block("coarse_step");
  const Operand right_side = new_block("right_side");
  add(first,
      "/coarse_step",
      geometry_.length_of(coarse) * operator_.scale_of(first),
      {at(first), derivatives_[first], coarse_step});
  add(first, "/right_side", -1.0, {end, coarse_step, right_side});
  right_sides_[level][step] = right_side;
}

// Returns the last step of the finer level in a step of a level.
int ChainStates::last_step_in(int level, int step) const {
  return geometry_.hierarchy().groups(level - 1)[step].end - 1;
}

// Moves a state from the ranks of stage `from`, which have it on `source`, to the ranks of stage
// `to`.
Operand ChainStates::moved(
    const Operand& source, int from, int to, const Operand& target, int block) {
  if (from == to) return source;
  const bool takes_part = geometry_.is_at(from) || geometry_.is_at(to);
  Exchange exchange;
  if (takes_part) {
    exchange = exchange_into_output(rule_of(geometry_.blocks_at(from), geometry_.blocks_at(to)),
                                    context_.rank());
  }
  const Unit& unit = geometry_.sum(block);
  LabelledId named = labels_.named(unit.head, "/shuffle");
  named.label.part = OperationPart::shuffle;
  writer_.transfer(
      unit, named, {.source = source.buffer, .destination = target.buffer}, std::move(exchange));
  return target;
}

void ChainStates::add(int block,
                      const std::string& suffix,
                      double scale,
                      std::vector<Operand> operands) {
  const Unit& unit = geometry_.sum(block);
  operands.back().written = true;
  writer_.whole_kernel(
      unit.head,
      labels_.named(unit.head, suffix),
      {.spec = element_wise_spec(context_.local(unit), KernelKind::add, KernelPhase::forward),
       .constants = {.add_scale = scale},
       .implementation = {},
       .operands = std::move(operands)});
}

Operand ChainStates::new_block(const std::string& name) {
  return add_state(geometry_, writer_, name, operator_.role());
}

}  // namespace cnnplan
