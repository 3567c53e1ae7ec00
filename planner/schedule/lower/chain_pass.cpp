// Lowers the multigrid cycle, which is written alike for both directions.
#include "planner/schedule/lower/chain_pass.hpp"

#include <algorithm>
#include <utility>

#include "planner/schedule/lower/operation_names.hpp"

namespace cnnplan {

// Groups take the lanes in turns, and each group takes one lane in every sweep. What a group waits
// for is therefore in its lane or in a neighbour's lane. Groups of one turn are a wave, whose
// memory is free for the next wave.
class Lowering::ChainPass::Lanes {
 public:
  // Keeps a reference.
  Lanes(ChainPass& pass, int level) : pass_(pass), level_(level) {
    int own = 0;
    for (std::size_t group = 0; group < pass.hierarchy_.groups(level).size(); ++group) {
      if (is_here(group) && own++ == 0) first_ = group;
    }
    count_ = std::min(pass.setting_.concurrency, std::max(1, own));
    if (count_ == 1) return;
    pass.lowering_.concurrency_ = count_;
    pass.lowering_.builder_.begin_lanes();
  }
  ~Lanes() {
    if (count_ == 1) return;
    pass_.lowering_.lane_ = 0;
    pass_.lowering_.concurrency_ = 1;
    pass_.lowering_.builder_.end_lanes();
  }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  // Called before the kernels of a group of steps.
  void take(std::size_t group) {
    if (count_ == 1 || !is_here(group)) return;
    const int number = static_cast<int>(group - first_);
    if (wave_ >= 0 && number / count_ != wave_) {
      pass_.lowering_.builder_.end_lanes();
      pass_.lowering_.builder_.begin_lanes();
    }
    wave_ = number / count_;
    pass_.lowering_.lane_ = number % count_;
  }

 private:
  bool is_here(std::size_t group) const {
    const LayerRange& steps = pass_.hierarchy_.groups(level_)[group];
    return pass_.is_here(pass_.layers_of(level_, steps.first).first);
  }

  ChainPass& pass_;
  int level_;
  int count_ = 1;
  std::size_t first_ = 0;  // the first group that is here
  int wave_ = -1;          // the wave that is under way
};

Lowering::ChainPass::ChainPass(Lowering& lowering,
                               const Multigrid& setting,
                               ResidualChain blocks,
                               LayerHierarchy hierarchy)
    : lowering_(lowering),
      setting_(setting),
      blocks_(std::move(blocks)),
      hierarchy_(std::move(hierarchy)),
      own_stage_(lowering.layer_plan(blocks_[0].sum).mesh.coordinate(lowering.rank_, Axis::l)),
      derivatives_(blocks_.size()),
      is_fresh_(blocks_.size(), false),
      makers_(blocks_.size() + 1, -1) {
  // An evaluation has other samples than the training step before it.
  if (lowering.mode_ == Mode::inference) setting_.first_guess = FirstGuess::coarse;
  if (setting_.first_guess == FirstGuess::previous) find_makers();
  for (int level = 0; level < hierarchy_.levels(); ++level) {
    right_sides_.emplace_back(level == 0 ? 0 : hierarchy_.steps(level).size());
  }
}

Operand Lowering::ChainPass::run(const Operand& first) {
  nothing_ = lowering_.nothing();
  states_.assign(blocks_.size() + 1, nothing_);
  made_.assign(blocks_.size() + 1, nothing_);
  made_at_.assign(blocks_.size() + 1, -1);
  states_[0] = first;
  guess();
  for (cycle_ = 1; cycle_ <= setting_.cycles; ++cycle_) cycle(0);
  finish_all();
  keep_traced();
  return states_.back();
}

// Makes the first guess, from the coarsest level to level 1.
void Lowering::ChainPass::guess() {
  if (setting_.first_guess == FirstGuess::previous) return take_kept();
  const int coarsest = hierarchy_.levels() - 1;
  begin(coarsest, "guess");
  solve(coarsest);
  for (int level = coarsest - 1; level > 0; --level) {
    begin(level, "guess");
    refresh(level);
  }
}

// The maker of a kept point is the step that ends there on the coarsest level that has the point.
void Lowering::ChainPass::find_makers() {
  for (int level = 1; level < hierarchy_.levels(); ++level) {
    for (const LayerRange& layers : hierarchy_.steps(level)) {
      if (layers.end == block_count()) continue;
      makers_[static_cast<std::size_t>(layers.end)] = stage_of(layers.first);
    }
  }
}

// Begins with the states that the cycles of the previous step left.
void Lowering::ChainPass::take_kept() {
  for (int point = 1; point < block_count(); ++point) {
    if (!is_kept(point)) continue;
    const auto index = static_cast<std::size_t>(point);
    const int from = makers_[index];
    const int to = home_of(point);
    if (is_at(from) && from == stage_of(point - 1)) made_[index] = computed(point, from);
    made_at_[index] = from;
    if (is_at(to)) states_[index] = from == to ? made_[index] : received(point);
  }
}

void Lowering::ChainPass::cycle(int level) {
  if (setting_.relaxation == Relaxation::fcf) {
    begin(level, "relax_c");
    relax_c(level);
  }
  begin(level, "relax");
  relax_f(level);
  const int next = level + 1;
  if (next + 1 == hierarchy_.levels()) {
    begin(next, "solve");
    solve(next);
    return;
  }
  cycle(next);
  begin(next, "refresh");
  refresh(next);
}

// Relaxes F-points, then C-points, from the last group to the first, because a C-point may be
// overwritten once the group that begins there has read it. States are sent when all are computed,
// by every other stage first, so that no rank waits for a neighbour that waits itself.
void Lowering::ChainPass::relax_c(int level) {
  const auto& groups = hierarchy_.groups(level);
  {
    Lanes lanes(*this, level);
    for (std::size_t group = groups.size(); group-- > 0;) {
      lanes.take(group);
      sweep(level, groups[group]);
      make(level, groups[group].end - 1);
    }
  }
  for (int parity : {0, 1}) {
    for (const LayerRange& group : groups) {
      const int last = group.end - 1;
      if (stage_of(layers_of(level, last).first) % 2 == parity) hand_over(level, last);
    }
  }
}

void Lowering::ChainPass::relax_f(int level) {
  const auto& groups = hierarchy_.groups(level);
  Lanes lanes(*this, level);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    lanes.take(group);
    sweep(level, groups[group]);
    restrict_group(level, static_cast<int>(group));
  }
}

// Computes the right side of a step of the next level: the state that this level makes of the
// group, less the state that the step makes of it. It is L_H(U_H) + R_H of the algorithm, U_H
// cancelled.
void Lowering::ChainPass::restrict_group(int level, int group) {
  const LayerRange& steps = hierarchy_.groups(level)[static_cast<std::size_t>(group)];
  const int last = layers_of(level, steps.end - 1).first;
  const LayerRange& coarse = layers_of(level + 1, group);
  const int here = stage_of(coarse.first);
  Operand propagated = nothing_;
  if (is_here(last)) propagated = new_block("propagated");
  advance(level, steps.end - 1, propagated);
  if (level == 0) trace(steps, propagated);
  const bool receives = is_at(here) && stage_of(last) != here;
  propagated =
      moved(propagated, stage_of(last), here, receives ? new_block("propagated") : nothing_, last);
  if (!is_at(here)) return;
  const Operand step = new_block("coarse_step");
  const Operand right_side = new_block("right_side");
  const int first = coarse.first;
  add(first,
      "/coarse_step",
      length_of(coarse) * scale_of(first),
      {state(first), derivatives_[static_cast<std::size_t>(first)], step});
  add(first, "/right_side", -1.0, {propagated, step, right_side});
  right_sides_[static_cast<std::size_t>(level) + 1][static_cast<std::size_t>(group)] = right_side;
}

void Lowering::ChainPass::solve(int level) {
  for (int step = 0; step < static_cast<int>(hierarchy_.steps(level).size()); ++step) {
    evaluate(layers_of(level, step).first);
    pass_on(level, step);
  }
}

// Computes the F-points after C-points that have changed.
void Lowering::ChainPass::refresh(int level) {
  const auto& groups = hierarchy_.groups(level);
  Lanes lanes(*this, level);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    lanes.take(group);
    sweep(level, groups[group]);
  }
}

void Lowering::ChainPass::finish_all() {
  pass_ = "finish";
  level_ = 0;
  const auto& groups = hierarchy_.groups(0);
  Lanes lanes(*this, 0);
  for (std::size_t index = 0; index < groups.size(); ++index) {
    const LayerRange& group = groups[index];
    lanes.take(index);
    for (int block = group.first; block < group.end; ++block) {
      const bool is_last = block + 1 == group.end;
      if (!is_last || evaluates_all()) evaluate(block);
      finish(block);
      if (!is_last) pass_on(0, block);
    }
    if (lowering_.traces_residuals_) trace_last(group);
  }
}

void Lowering::ChainPass::trace_last(const LayerRange& group) {
  const int last = group.end - 1;
  const Operand propagated = is_here(last) ? new_block("propagated") : nothing_;
  advance(0, last, propagated);
  trace(group, propagated);
}

void Lowering::ChainPass::trace(const LayerRange& group, const Operand& propagated) {
  const int last = group.end - 1;
  const auto point = static_cast<std::size_t>(group.end);
  const bool is_traced =
      lowering_.traces_residuals_ && is_here(last) && made_at_[point] == stage_of(last);
  if (!is_traced) return;
  const Operand residual = new_block("residual");
  add(last, "/residual", -1.0, {propagated, made_[point], residual});
  traced_[group.end].push_back({.cycles = cycle_ - 1,
                                .last = cycle_ > setting_.cycles,
                                .backward = phase() != KernelPhase::forward,
                                .operand = residual});
}

void Lowering::ChainPass::keep_traced() {
  std::vector<PointResidual>& kept = lowering_.builder_.schedule().residuals;
  for (const auto& [point, residuals] : traced_) {
    const bool has_all = static_cast<int>(residuals.size()) == setting_.cycles + 1;
    if (has_all) kept.insert(kept.end(), residuals.begin(), residuals.end());
  }
}

// Computes the states inside a group of steps, and the derivative at the last state.
void Lowering::ChainPass::sweep(int level, const LayerRange& group) {
  for (int step = group.first; step < group.end; ++step) {
    evaluate(layers_of(level, step).first);
    if (step + 1 < group.end) pass_on(level, step);
  }
}

void Lowering::ChainPass::evaluate(int block) {
  const auto index = static_cast<std::size_t>(block);
  if (is_fresh_[index]) return;
  is_fresh_[index] = true;
  if (is_here(block)) derivatives_[index] = derivative_at(block);
}

// Computes the state after a step into `target`, on the ranks of its first block.
void Lowering::ChainPass::advance(int level, int step, const Operand& target) {
  const LayerRange& layers = layers_of(level, step);
  const int first = layers.first;
  if (!is_here(first)) return;
  add(first,
      "",
      length_of(layers) * scale_of(first),
      {state(first), derivatives_[static_cast<std::size_t>(first)], target});
  if (level == 0 || cycle_ == 0) return;
  const auto& right_sides = right_sides_[static_cast<std::size_t>(level)];
  const Unit& unit = sum(first);
  Operand written = target;
  written.written = true;
  LabelledId correction = named(unit.head);
  correction.id += "/correct";
  lowering_.kernel(unit,
                   correction,
                   lowering_.elementwise_spec(unit, KernelKind::accumulate, KernelPhase::forward),
                   {target, right_sides[static_cast<std::size_t>(step)], written});
}

void Lowering::ChainPass::pass_on(int level, int step) {
  make(level, step);
  hand_over(level, step);
}

// Computes the state at the end of a step.
void Lowering::ChainPass::make(int level, int step) {
  const LayerRange& layers = layers_of(level, step);
  const auto point = static_cast<std::size_t>(layers.end);
  const int stage = stage_of(layers.first);
  made_[point] = is_at(stage) ? computed(layers.end, stage) : nothing_;
  made_at_[point] = stage;
  advance(level, step, made_[point]);
}

// Makes that state the one of its point.
void Lowering::ChainPass::hand_over(int level, int step) {
  const LayerRange& layers = layers_of(level, step);
  const auto point = static_cast<std::size_t>(layers.end);
  const int from = made_at_[point];
  const int to = home_of(layers.end);
  const bool receives = is_at(to) && from != to;
  states_[point] =
      moved(made_[point], from, to, receives ? received(layers.end) : nothing_, layers.first);
  if (point < is_fresh_.size()) is_fresh_[point] = false;
}

// Moves a state from `source` on the ranks of stage `from` to the ranks of stage `to`.
Operand Lowering::ChainPass::moved(
    const Operand& source, int from, int to, const Operand& target, int block) {
  if (from == to) return source;
  const bool takes_part = is_at(from) || is_at(to);
  Exchange exchange;
  if (takes_part) {
    exchange = exchange_into_output(rule_of(blocks_at(from), blocks_at(to)), lowering_.rank_);
  }
  LabelledId shuffle = named(sum(block).head);
  shuffle.id += "/shuffle";
  shuffle.label.part = OperationPart::shuffle;
  lowering_.add_transfer(sum(block),
                         shuffle,
                         {.source = source.buffer, .destination = target.buffer},
                         std::move(exchange));
  return target;
}

void Lowering::ChainPass::add(int block,
                              const std::string& suffix,
                              double scale,
                              std::vector<Operand> operands) {
  const Unit& unit = sum(block);
  operands.back().written = true;
  LabelledId sum_name = named(unit.head);
  sum_name.id += suffix;
  lowering_.add_whole(
      unit.head,
      std::move(sum_name),
      {.spec = lowering_.elementwise_spec(unit, KernelKind::add, KernelPhase::forward),
       .constants = {.add_scale = scale},
       .implementation = {},
       .operands = std::move(operands)});
}

const Unit& Lowering::ChainPass::transform(int index) const {
  return lowering_.decomposition_.unit_of(block(index).weights);
}

const Unit& Lowering::ChainPass::sum(int index) const {
  return lowering_.decomposition_.unit_of(block(index).sum);
}

int Lowering::ChainPass::stage_of(int index) const {
  return lowering_.layer_plan(block(index).sum).stage;
}

bool Lowering::ChainPass::is_at(int stage) const {
  return stage == own_stage_;
}

// Returns the stage that goes on from a point.
int Lowering::ChainPass::home_of(int point) const {
  return stage_of(std::min(point, block_count() - 1));
}

BlockOwnership Lowering::ChainPass::blocks_at(int stage) const {
  const LayerIndex layer = block(0).sum;
  return BlockOwnership(Distribution(lowering_.network().output_shape(layer, lowering_.plan_.batch),
                                     lowering_.layer_plan(layer).mesh,
                                     stage));
}

const LayerRange& Lowering::ChainPass::layers_of(int level, int step) const {
  return hierarchy_.steps(level)[static_cast<std::size_t>(step)];
}

// Returns the sum of the lengths h of the layers that a step passes.
double Lowering::ChainPass::length_of(const LayerRange& layers) const {
  double length = 0.0;
  for (int i = layers.first; i < layers.end; ++i) length += block(i).step;
  return length;
}

Operand Lowering::ChainPass::new_block(const std::string& name, BufferRole role) const {
  return lowering_.builder_.read(
      lowering_.add_block(name, role, blocks_at(own_stage_).box(lowering_.rank_)));
}

LabelledId Lowering::ChainPass::named(LayerIndex layer, const std::string& word) const {
  OperationLabel label = kernel_label(layer, phase());
  label.level = level_;
  return {.id = lowering_.layer(layer).name + '/' + word + '/' + pass_, .label = label};
}

void Lowering::ChainPass::begin(int level, const std::string& part) {
  pass_ = cycle_ == 0 ? part : "cycle_" + std::to_string(cycle_) + '/' + part;
  pass_ += "/level_" + std::to_string(level);
  level_ = level;
}

}  // namespace cnnplan
