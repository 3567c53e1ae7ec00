// Scores plans with other numbers of partitions, and finds the number that breaks even.
#include "planner/search/plans/partitioning.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "planner/network/residual_chain.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "planner/search/plans/allreduce_choice.hpp"
#include "planner/search/plans/chain_plans.hpp"

namespace cnnplan {
namespace {

int block_count(const Plan& plan, const Multigrid& chain) {
  return static_cast<int>(part_of_chain(plan.network, chain.first, chain.last).size());
}

// Returns the longest chain, for which settings are chosen.
const Multigrid& longest(const Plan& plan) {
  return *std::max_element(
      plan.multigrid.begin(), plan.multigrid.end(), [&](const Multigrid& a, const Multigrid& b) {
        return block_count(plan, a) < block_count(plan, b);
      });
}

std::set<LayerIndex> first_layers(const Plan& plan) {
  std::set<LayerIndex> layers;
  for (const Multigrid& chain : plan.multigrid) layers.insert(chain.first);
  return layers;
}

class Partitioner {
 public:
  Partitioner(const ScoredPlan& scored, const PriceList& prices)
      : own_score_(scored.score), plan_(scored.plan), setting_(longest(plan_)), prices_(prices) {
    const Mesh& mesh = plan_.layers[setting_.first].mesh;
    own_partitions_ = mesh.size(Axis::l);
    sample_ranks_ = plan_.ranks / own_partitions_;
    blocks_ = block_count(plan_, setting_);
    for (const LayerIndex layer : plan_.network.layers().indices()) look_outside(layer);
  }

  int own_partitions() const { return own_partitions_; }
  int sample_ranks() const { return sample_ranks_; }

  // Returns nothing if the chains have too few layers for this number of partitions.
  std::optional<PartitionedStep> step(int partitions) const {
    if (partitions == 1) return as_step(1, scored(base(1, {Axis::n})));
    if (partitions == own_partitions_) return as_step(partitions, own_score_);
    std::optional<Score> best;
    for (Plan& plan : partitioned(partitions)) {
      const Score score = scored(std::move(plan));
      if (!best || score.step_s < best->step_s) best = score;
    }
    return best ? std::optional(as_step(partitions, *best)) : std::nullopt;
  }

 private:
  // Remembers how a layer outside of all chains is split.
  void look_outside(LayerIndex layer) {
    const Mesh& mesh = plan_.layers[layer].mesh;
    if (is_by_multigrid(plan_, layer) || mesh.size(Axis::l) == 1) return;
    group_ranks_ = std::max(group_ranks_, mesh.size(Axis::c));
  }

  // Returns a plan without partitions, on the first split over these axes: n alone, or none.
  Plan base(int partitions, const std::vector<Axis>& axes) const {
    const int ranks = sample_ranks_ * partitions;
    Plan blank = uniform_plan(plan_.network, plan_.batch, Mesh({{Axis::r, ranks}}));
    blank.precision = plan_.precision;
    blank.overlap = plan_.overlap;
    blank.sharded_update = plan_.sharded_update;
    blank.optimizer_state_bytes = plan_.optimizer_state_bytes;
    blank.bucket_bytes = plan_.bucket_bytes;
    for (const LayerIndex i : plan_.layers.indices()) {
      blank.layers[i].statistics = plan_.layers[i].statistics;
    }
    choose_allreduce(blank, prices_.platform());
    if (is_allreduce_asked_for()) {
      blank.gradient_allreduce = plan_.gradient_allreduce;
      blank.small_gradient_allreduces = plan_.small_gradient_allreduces;
    }
    const SplitChoices choices = split_choices(blank, axes);
    return entirely_on(blank, choices, choices.units.front().splits.front());
  }

  // Returns whether the user asked for the allreduces of the plan. Otherwise, the price chose them.
  bool is_allreduce_asked_for() const {
    Plan chosen = plan_;
    choose_allreduce(chosen, prices_.platform());
    return chosen.gradient_allreduce != plan_.gradient_allreduce ||
           chosen.small_gradient_allreduces != plan_.small_gradient_allreduces;
  }

  // Returns plans with other layers by samples, and plans with other layers by stage if possible.
  std::vector<Plan> partitioned(int partitions) const {
    const int coarsening = coarsening_for(partitions, setting_.coarsening, blocks_);
    if (coarsening == 0) return {};
    const MultigridRequest request{
        .cycles = setting_.cycles,
        .relaxation = setting_.relaxation,
        .first_guess = setting_.first_guess,
        .partitions = partitions,
        .coarsening = coarsening,
        .levels = std::min(setting_.levels, most_levels(blocks_, coarsening)),
        .first_layers = first_layers(plan_),
        .concurrency = setting_.concurrency};
    std::vector<Plan> plans;
    for (auto& [origin, plan] : chain_plans(base(partitions, {Axis::n}), request)) {
      if (!has_others_by_stage(origin)) plans.push_back(std::move(plan));
    }
    for (auto& [origin, plan] : chain_plans(base(partitions, {}), request)) {
      if (!has_others_by_stage(origin)) continue;
      std::optional<Plan> grouped = on_own_groups(plan);
      plans.push_back(grouped ? std::move(*grouped) : std::move(plan));
    }
    return plans;
  }

  // Takes groups as large as in the own plan, or smaller ones if there are too few stages.
  std::optional<Plan> on_own_groups(const Plan& plan) const {
    for (int ranks = group_ranks_; ranks > 1; ranks /= 2) {
      if (std::optional<Plan> grouped = on_groups(plan, ranks)) return grouped;
    }
    return std::nullopt;
  }

  static PartitionedStep as_step(int partitions, const Score& score) {
    return {.partitions = partitions, .step_s = score.step_s, .fits = score.fits};
  }
  Score scored(Plan plan) const {
    Scores scores(prices_);
    return scores.add({}, std::move(plan));
  }

  const Score& own_score_;
  const Plan& plan_;
  const Multigrid& setting_;
  const PriceList& prices_;
  int own_partitions_ = 1;
  int sample_ranks_ = 1;
  int blocks_ = 0;
  int group_ranks_ = 1;  // the ranks of layers that are split by stage and channels
};

// Keeps the steps by number of partitions, and computes each once.
class Steps {
 public:
  explicit Steps(const Partitioner& partitioner) : partitioner_(partitioner) {}

  // @returns whether there is such a step
  bool add(int partitions) {
    if (steps_.contains(partitions)) return true;
    const std::optional<PartitionedStep> step = partitioner_.step(partitions);
    if (step) steps_.emplace(partitions, *step);
    return step.has_value();
  }

  bool is_faster(int partitions) const {
    const PartitionedStep& step = steps_.at(partitions);
    return step.fits && step.step_s < steps_.at(1).step_s;
  }
  // Returns the least known number of partitions that is faster than the layers in order.
  std::optional<int> first_faster() const {
    for (const auto& [partitions, step] : steps_) {
      if (partitions > 1 && is_faster(partitions)) return partitions;
    }
    return std::nullopt;
  }
  // Returns the next smaller number of partitions. @pre partitions > 1 is known
  int before(int partitions) const { return std::prev(steps_.find(partitions))->first; }

  std::vector<PartitionedStep> in_order() const {
    std::vector<PartitionedStep> steps;
    for (const auto& [partitions, step] : steps_) steps.push_back(step);
    return steps;
  }

 private:
  const Partitioner& partitioner_;
  std::map<int, PartitionedStep> steps_;
};

// Halves the interval between the first number that is faster than in order and the number before
// it.
void find_break_even(Steps& steps) {
  while (const std::optional<int> faster = steps.first_faster()) {
    const int slower = steps.before(*faster);
    if (*faster - slower < 2 || !steps.add((slower + *faster) / 2)) return;
  }
}

}  // namespace

Partitioning partitioning_of(const ScoredPlan& scored, const PriceList& prices) {
  constexpr int most_ranks = 1024;  // ends the search if multigrid stays slower
  const Partitioner partitioner(scored, prices);
  Steps steps(partitioner);
  steps.add(1);
  bool has_more = steps.add(2) && steps.add(3);
  if (partitioner.own_partitions() > 1) steps.add(partitioner.own_partitions());
  const auto is_worth_a_look = [&](int partitions) {
    return partitions <= 2 * partitioner.own_partitions() ||
           (!steps.first_faster() && partitions * partitioner.sample_ranks() <= most_ranks);
  };
  for (int partitions = 4; has_more && is_worth_a_look(partitions); partitions *= 2) {
    has_more = steps.add(partitions);
  }
  find_break_even(steps);
  return {.plan = to_text(scored.origin),
          .step_s = scored.score.step_s,
          .sample_ranks = partitioner.sample_ranks(),
          .steps = steps.in_order()};
}

}  // namespace cnnplan
