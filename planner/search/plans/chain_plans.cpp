// Makes a plan for each setting of multigrid and each way to share out the ranks.
#include "planner/search/plans/chain_plans.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/search/candidates/candidates.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

// Returns the coarse steps of a stage. The last step may be shorter than others. If stages have
// different numbers of steps, the last step belongs to a stage with one step more.
Range coarse_steps_of(int stage, int steps, int partitions) {
  const Range mirrored = block_range(steps, partitions, partitions - 1 - stage);
  return {steps - mirrored.end, steps - mirrored.begin};
}

int coarse_steps(int blocks, int coarsening) {
  return (blocks + coarsening - 1) / coarsening;
}

// Returns the number of blocks of the stage that has most.
std::int64_t most_blocks(int blocks, int coarsening, int partitions) {
  std::int64_t most = 0;
  for (int stage = 0; stage < partitions; ++stage) {
    const Range own = coarse_steps_of(stage, coarse_steps(blocks, coarsening), partitions);
    most = std::max(most,
                    std::min<std::int64_t>(own.end * coarsening, blocks) - own.begin * coarsening);
  }
  return most;
}

// Returns the coarsening that gives each stage about as many steps as `coarsening` does, and all
// stages equally many if possible.
int even_coarsening(int coarsening, int blocks, int partitions) {
  const double steps_of_stage = static_cast<double>(blocks) / coarsening / partitions;
  const int steps = partitions * std::max(1, static_cast<int>(std::lround(steps_of_stage)));
  return std::max(2, coarse_steps(blocks, steps));
}

// True if `coarsening` is allowed and leaves the largest stage fewer blocks than `other`.
bool is_better(int coarsening, int other, int blocks, int partitions) {
  return coarsening * least_coarse_steps <= blocks && coarsening * (partitions - 1) < blocks &&
         most_blocks(blocks, coarsening, partitions) < most_blocks(blocks, other, partitions);
}

// Returns the coarsenings to try, ascending.
std::vector<int> coarsenings(const MultigridRequest& request, int partitions, int blocks) {
  if (request.cycles == 0) return {1};
  if (request.coarsening > 0) return {request.coarsening};
  std::set<int> found;
  for (int coarsening = 2; coarsening * least_coarse_steps <= blocks; coarsening *= 2) {
    found.insert(coarsening);
    const int even = even_coarsening(coarsening, blocks, partitions);
    if (is_better(even, coarsening, blocks, partitions)) found.insert(even);
  }
  return {found.begin(), found.end()};
}

// Returns the numbers of levels to try. A third level needs least_coarse_steps steps.
std::vector<int> levels(const MultigridRequest& request, int blocks, int coarsening) {
  if (request.cycles == 0) return {0};
  if (request.levels > 0) return {request.levels};
  const std::int64_t square = std::int64_t{coarsening} * coarsening;
  const bool has_third = square * least_coarse_steps <= blocks;
  return has_third ? std::vector{2, 3} : std::vector{2};
}

// Returns the concurrencies to try, at most the number of groups of a rank.
std::set<int> concurrencies(const MultigridRequest& request, int groups) {
  if (request.cycles == 0) return {1};
  if (request.concurrency > 0) return {std::min(request.concurrency, groups)};
  std::set<int> found = request.profiled_concurrencies;
  found.erase(found.upper_bound(groups), found.end());
  return found;
}

// Describes one way to run all chains.
struct Setting {
  int partitions = 1;
  int coarsening = 1;
  int levels = 0;  // 0 means no multigrid
  int concurrency = 1;
};

PlanOrigin origin_of(const Setting& setting, const Mesh& mesh, bool others_by_stage) {
  return {.proposal = ChainOrigin{.mesh = mesh,
                                  .coarsening = setting.coarsening,
                                  .levels = setting.levels,
                                  .concurrency = setting.concurrency,
                                  .others_by_stage = others_by_stage}};
}

void set_layers(Plan& plan, const ResidualBlock& block, const Mesh& mesh, int stage) {
  for (LayerIndex layer : {block.weights, block.transform, block.sum}) {
    LayerPlan& own = plan.layers[layer];
    own.set({.mesh = mesh});
    own.recompute = false;
    own.stage = stage;
  }
}

// Stages are cut where coarse steps begin.
void split_chain(Plan& plan, const ResidualChain& chain, const Setting& setting, const Mesh& mesh) {
  const auto blocks = static_cast<int>(chain.size());
  const int steps = coarse_steps(blocks, setting.coarsening);
  for (int stage = 0; stage < setting.partitions; ++stage) {
    const Range own = coarse_steps_of(stage, steps, setting.partitions);
    const auto end = std::min<std::int64_t>(own.end * setting.coarsening, blocks);
    for (std::int64_t i = own.begin * setting.coarsening; i < end; ++i) {
      set_layers(plan, chain[i], mesh, stage);
    }
  }
}

// Returns the chains that may be split by layers.
std::vector<ResidualChain> chains_of(const Network& network,
                                     const std::set<LayerIndex>& first_layers = {}) {
  std::vector<ResidualChain> chains = residual_chains(network);
  std::erase_if(chains, [&](const ResidualChain& chain) {
    const LayerIndex first = chain.front().weights;
    const bool is_left_out = !first_layers.empty() && !first_layers.contains(first);
    return is_left_out || part_of_chain(network, first, chain.back().sum).size() < 2;
  });
  return chains;
}

// True if a chain has a coarse step for every partition, and enough of them unless the user chose
// the coarsening. Other chains stay as they are.
bool takes(const ResidualChain& chain, const Setting& setting, const MultigridRequest& request) {
  const auto blocks = static_cast<int>(chain.size());
  const std::int64_t coarsening = setting.coarsening;
  const bool has_enough =
      setting.levels == 0 || request.coarsening > 0 || coarsening * least_coarse_steps <= blocks;
  return has_enough && coarsening * (setting.partitions - 1) < blocks &&
         setting.levels <= most_levels(blocks, std::max(2, setting.coarsening));
}

Plan with_chains(Plan plan,
                 const std::vector<ResidualChain>& chains,
                 const Setting& setting,
                 const MultigridRequest& request,
                 const Mesh& mesh) {
  for (const ResidualChain& chain : chains) {
    if (!takes(chain, setting, request)) continue;
    split_chain(plan, chain, setting, mesh);
    if (setting.levels == 0) continue;
    plan.multigrid.push_back({.first = chain.front().weights,
                              .last = chain.back().sum,
                              .coarsening = setting.coarsening,
                              .levels = setting.levels,
                              .cycles = request.cycles,
                              .relaxation = request.relaxation,
                              .first_guess = request.first_guess,
                              .concurrency = setting.concurrency});
  }
  return plan;
}

bool is_in(const std::vector<ResidualChain>& chains, LayerIndex layer) {
  return std::any_of(chains.begin(), chains.end(), [&](const ResidualChain& chain) {
    return chain.front().weights <= layer && layer <= chain.back().sum;
  });
}

// Puts each layer that all ranks would compute alike, or with its channels split over all ranks, on
// one stage. Layers before the first chain go to the first stage. Other layers are dealt out by
// their parameters, so that the last ones go to the last stage. Returns nothing if there are no
// such layers.
std::optional<Plan> with_stages(Plan plan,
                                const std::vector<ResidualChain>& chains,
                                const Mesh& mesh) {
  const auto is_alike = [&](LayerIndex layer) {
    const Mesh& own = plan.layers[layer].mesh;
    return own.size(Axis::r) * own.size(Axis::c) == plan.ranks &&
           can_be_staged(plan.network.layer(layer).parameters) && !is_in(chains, layer);
  };
  const int stages = mesh.size(Axis::l);
  const auto all = static_cast<double>(plan.network.parameter_count());
  double behind = 0.0;
  bool changes = false;
  for (LayerIndex layer = plan.layers.end_index(); layer-- > 0;) {
    if (!is_alike(layer)) continue;
    const int from_last = static_cast<int>(behind / all * stages);
    const bool is_in_front = layer < chains.front().front().weights;
    const int stage = is_in_front ? 0 : std::max(0, stages - 1 - from_last);
    plan.layers[layer] = {.mesh = mesh, .stage = stage};
    behind += static_cast<double>(plan.network.parameter_count(layer));
    changes = true;
  }
  return changes && stages > 1 ? std::optional(std::move(plan)) : std::nullopt;
}

void check_at_most(const char* option, int value, int most) {
  if (value <= most) return;
  throw InputError({.file = option,
                    .pointer = "",
                    .value = std::to_string(value),
                    .allowed = "at most " + std::to_string(most) + " for the longest chain"});
}

void check_request(const MultigridRequest& request, int blocks) {
  check_at_most("--coarsening", request.coarsening, blocks);
  check_at_most("--levels", request.levels, most_levels(blocks, std::max(2, request.coarsening)));
}

// Returns the settings to try with this number of partitions, for the longest chain.
std::vector<Setting> settings(const MultigridRequest& request, int partitions, int blocks) {
  std::vector<Setting> found;
  for (int coarsening : coarsenings(request, partitions, blocks)) {
    const int groups = coarse_steps(coarse_steps(blocks, coarsening), partitions);
    for (int level_count : levels(request, blocks, coarsening)) {
      for (int concurrency : concurrencies(request, groups)) {
        found.push_back({.partitions = partitions,
                         .coarsening = coarsening,
                         .levels = level_count,
                         .concurrency = concurrency});
      }
    }
  }
  return found;
}

// Puts a layer on a group of `ranks` stages, which are its ranks along c.
LayerPlan on_group(const LayerPlan& staged, int ranks) {
  const int stages = staged.mesh.size(Axis::l);
  LayerPlan grouped = staged;
  grouped.mesh =
      Mesh({{Axis::n, staged.mesh.size(Axis::n)}, {Axis::l, stages / ranks}, {Axis::c, ranks}});
  grouped.stage = staged.stage / ranks;
  return grouped;
}

}  // namespace

std::vector<ProposedPlan> chain_plans(const Plan& base, const MultigridRequest& request) {
  std::vector<ProposedPlan> plans;
  const std::vector<ResidualChain> chains = chains_of(base.network, request.first_layers);
  const auto longest =
      std::max_element(chains.begin(), chains.end(), [](const auto& a, const auto& b) {
        return a.size() < b.size();
      });
  if (longest == chains.end()) return plans;
  check_request(request, static_cast<int>(longest->size()));
  std::vector<int> ascending = divisors(base.ranks);
  std::reverse(ascending.begin(), ascending.end());
  for (int partitions : ascending) {
    const int samples = base.ranks / partitions;
    const bool is_wanted =
        request.partitions == 0 ? partitions > 1 : partitions == request.partitions;
    if (!is_wanted || samples > base.batch) continue;
    const Mesh mesh({{Axis::n, samples}, {Axis::l, partitions}});
    for (const Setting& setting :
         settings(request, partitions, static_cast<int>(longest->size()))) {
      if (!takes(*longest, setting, request)) continue;
      Plan plan = with_chains(base, chains, setting, request, mesh);
      if (std::optional<Plan> staged = with_stages(plan, chains, mesh)) {
        plans.push_back({.origin = origin_of(setting, mesh, true), .plan = std::move(*staged)});
      }
      plans.push_back({.origin = origin_of(setting, mesh, false), .plan = std::move(plan)});
    }
  }
  return plans;
}

// The least coarsening leaves most coarse steps, so no other one works if this one does not.
int coarsening_of_short_chains(const Plan& base, const MultigridRequest& request) {
  constexpr int least_coarsening = 2;
  const bool is_free = request.coarsening == 0 && request.cycles > 0;
  if (!is_free || !chain_plans(base, request).empty()) return 0;
  MultigridRequest given = request;
  given.coarsening = least_coarsening;
  return chain_plans(base, given).empty() ? 0 : least_coarsening;
}

int coarsening_for(int partitions, int coarsening, int blocks) {
  const std::int64_t others = partitions - 1;
  while (coarsening * others >= blocks) {
    if (coarsening <= 2) return 0;
    coarsening = std::max(2, coarsening / 2);
  }
  const int even = even_coarsening(coarsening, blocks, partitions);
  return is_better(even, coarsening, blocks, partitions) ? even : coarsening;
}

std::optional<Plan> on_groups(const Plan& plan, int ranks) {
  const std::vector<ResidualChain> chains = chains_of(plan.network);
  Plan grouped = plan;
  const auto is_split = [&](LayerIndex layer) {
    return grouped.layers[layer].mesh.size(Axis::c) > 1;
  };
  bool changes = false;
  for (const LayerIndex index : plan.network.layers().indices()) {
    const LayerPlan& staged = plan.layers[index];
    const Layer& layer = plan.network.layer(index);
    const auto* fc = std::get_if<FullyConnected>(&layer.parameters);
    const bool follows = std::holds_alternative<Relu>(layer.parameters) &&
                         is_split(plan.network.inputs_of(index)[0]);
    const bool is_wanted = (fc != nullptr && fc->outputs >= ranks) || follows;
    const int stages = staged.mesh.size(Axis::l);
    if (!is_wanted || stages == 1 || stages % ranks != 0 || is_in(chains, index)) continue;
    grouped.layers[index] = on_group(staged, ranks);
    changes = true;
  }
  return changes ? std::optional(std::move(grouped)) : std::nullopt;
}

}  // namespace cnnplan
