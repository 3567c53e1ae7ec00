// One lowering per split, all layers that may be split so.
#include "planner/search/pricing/split_costs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/parallel.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/schedule/lower/lower_representatives.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

Plan on_split(const Plan& plan, const Split& split) {
  Plan uniform = all_on(plan, split);
  uniform.bucket_bytes = 1;  // every unit's gradients apart, so that they can be told apart
  return uniform;
}

bool is_update(const Operation& operation) {
  const auto* kernel = std::get_if<KernelOperation>(&operation.body);
  return kernel != nullptr && kernel->spec.phase == KernelPhase::update;
}

// A parameter's own part of a reduction or gather, which may be one of many; of no other operation.
const CollectiveOperation* of_parameters(const Operation& operation) {
  const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
  if (collective == nullptr) return nullptr;
  return collective->operand.first_slot >= 0 ? collective : nullptr;
}

// What every rank must do itself, one after the other, under any plan with this split. Updates are
// counted elsewhere.
class UnavoidableWork {
 public:
  UnavoidableWork(const Plan& plan, const PriceList& prices)
      : prices_(prices),
        hides_messages_(plan.overlap),
        ranks_per_node_(plan.ranks_per_node),
        allreduces_(gradient_allreduces(plan)),
        gradient_bytes_(static_cast<double>(plan.network.parameter_count()) *
                        static_cast<double>(parameter_bytes(plan.precision))) {
    const auto by_nodes =
        std::find(allreduces_.begin(), allreduces_.end(), AllreduceAlgorithm::hierarchical);
    // Where replicas lie differently.
    if (by_nodes != allreduces_.end()) allreduces_.push_back(AllreduceAlgorithm::ring);
  }

  // `seconds`: the price of the operation.
  double operator()(const Operation& operation, double seconds) const {
    if (is_update(operation)) return 0.0;
    const bool may_hide = operation.stream == Stream::reduce || operation.stream == Stream::halo;
    if (may_hide && hides_messages_) return 0.0;
    const CollectiveOperation* exchange = of_parameters(operation);
    return exchange == nullptr ? seconds : least_s(*exchange);
  }

 private:
  // By whichever algorithm the sum that it is part of has.
  double least_s(CollectiveOperation exchange) const {
    double least = std::numeric_limits<double>::infinity();
    for (const AllreduceAlgorithm algorithm : allreduces_) {
      const bool by_nodes = algorithm == AllreduceAlgorithm::hierarchical;
      exchange.algorithm = algorithm;
      exchange.ranks_per_node = by_nodes ? members_per_node(exchange.group, ranks_per_node_) : 1;
      least = std::min(least, prices_.least_s(exchange, gradient_bytes_));
    }
    return least;
  }

  const PriceList& prices_;
  bool hides_messages_;
  int ranks_per_node_;
  std::vector<AllreduceAlgorithm> allreduces_;
  double gradient_bytes_;
};

// To what a layer keeps on this rank, where that is more.
void raise(const Schedule& schedule, LayerCosts& most) {
  const std::vector<std::int64_t> kept = kept_bytes(schedule);
  const std::vector<std::int64_t> parameters = parameter_bytes(schedule);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    most[i] = std::max(most[i], static_cast<double>(kept[i] + parameters[i]));
  }
}

// Between units.
bool is_edge(const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  return transfer != nullptr && !transfer->of_sums;
}

// What an operation takes whatever the splits of other units. A halo that is loaded with the
// samples belongs to the edge to their reader.
double own_s(const Schedule& schedule, const Operation& operation, const PriceList& prices) {
  const auto* load = std::get_if<LoadOperation>(&operation.body);
  if (load == nullptr) return prices(schedule, operation).seconds;
  const Buffer& data = schedule.buffers[static_cast<std::size_t>(load->data)];
  const Box& own = schedule.outputs[static_cast<std::size_t>(operation.layer)].box;
  return prices.load_s(checked_multiply(volume(own), bytes_of(data.element)));
}

// Gives all layers the costs of those that stand for them. Of a unit's layers, operations belong to
// the first and to the last.
class StandIns {
 public:
  StandIns(const FusedUnits& units, const UnitClasses& classes)
      : units_(units.units()), classes_(classes) {}

  void fill(LayerCosts& costs) const {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const Unit& first = units_[classes_.first()[i]];
      at(costs, units_[i].head) = at(costs, first.head);
      at(costs, units_[i].last) = at(costs, first.last);
    }
  }

 private:
  static double& at(LayerCosts& costs, LayerIndex layer) {
    return costs[static_cast<std::size_t>(layer)];
  }

  const std::vector<Unit>& units_;
  const UnitClasses& classes_;
};

// The units with layers that may be split so; those of samples and losses always.
std::vector<bool> wanted_units(const FusedUnits& units,
                               const SplitChoices& choices,
                               const Split& split) {
  std::vector<bool> wanted(units.units().size(), false);
  const auto want = [&](LayerIndex layer) { wanted[units.index_of(units.unit_of(layer))] = true; };
  for (const UnitSplits& unit : choices.units) {
    if (!unit.may_take(split)) continue;
    for (LayerIndex layer : unit.unit.layers) want(layer);
  }
  const Network& network = units.plan().network;
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    const LayerParameters& parameters = network.layer(layer).parameters;
    if (std::holds_alternative<Input>(parameters) || is_loss(parameters)) want(layer);
  }
  return wanted;
}

// Ranks with the same to do are lowered once.
class FirstRanks {
 public:
  FirstRanks(const Plan& plan, const Split& split, const Platform& platform)
      : plan_(plan), mesh_(split.mesh), platform_(platform) {}

  int operator()(int rank) const {
    if (plan_.sharded_update || plan_.sample_blocks > 1) return rank;
    return first_alike(platform_, mesh_, plan_.batch, rank);
  }

  // Of `ranks`, ascending, each once.
  std::vector<int> of(const std::vector<int>& ranks) const {
    std::set<int> firsts;
    for (const int rank : ranks) firsts.insert((*this)(rank));
    return {firsts.begin(), firsts.end()};
  }

 private:
  const Plan& plan_;
  const Mesh& mesh_;
  const Platform& platform_;
};

// Of what is not an edge, for all that may be split so.
SplitCosts split_costs(const Plan& plan,
                       const SplitChoices& choices,
                       const Split& split,
                       const PriceList& prices) {
  const Plan uniform = on_split(plan, split);
  const FusedUnits units(uniform);
  const UnitClasses classes(units);
  const UnavoidableWork unavoidable(uniform, prices);
  const FirstRanks first(plan, split, prices.platform());
  const LayerCosts zero(static_cast<std::size_t>(plan.network.layer_count()), 0.0);
  SplitCosts result{.slowest = zero, .kept_bytes = zero, .least = {}};
  const std::vector<bool> wanted = wanted_units(units, choices, split);
  std::map<int, LayerCosts> least_by_rank;
  for (const Schedule& schedule :
       lower_firsts(units, classes, wanted, first.of(sample_ranks(split)))) {
    raise(schedule, result.kept_bytes);
    LayerCosts costs = zero;
    LayerCosts least = zero;
    for (const Operation& operation : schedule.operations) {
      if (is_edge(operation)) continue;
      const auto layer = static_cast<std::size_t>(operation.layer);
      const double seconds = own_s(schedule, operation, prices);
      costs[layer] += seconds;
      least[layer] += unavoidable(operation, seconds);
    }
    for (std::size_t i = 0; i < costs.size(); ++i) {
      result.slowest[i] = std::max(result.slowest[i], costs[i]);
    }
    least_by_rank.emplace(schedule.rank, std::move(least));
  }
  for (const int rank : sample_ranks(plan.ranks)) {
    result.least.push_back(least_by_rank.at(first(rank)));
  }
  const StandIns stand_ins(units, classes);
  stand_ins.fill(result.slowest);
  stand_ins.fill(result.kept_bytes);
  for (LayerCosts& least : result.least) stand_ins.fill(least);
  return result;
}

}  // namespace

CostsBySplit costs_by_split(const Plan& plan,
                            const SplitChoices& choices,
                            const PriceList& prices) {
  CostsBySplit costs;
  for (const Split& split : all_splits(choices)) costs[split];
  parallel_for(costs.size(), [&](std::size_t i) {
    auto& [split, cost] = *std::next(costs.begin(), static_cast<std::ptrdiff_t>(i));
    cost = split_costs(plan, choices, split, prices);
  });
  return costs;
}

// Into how many parts the parameters go, and of these into how many by channels.
std::pair<int, int> parameter_parts(const Plan& plan, const Split& split) {
  const int channels = split.mesh.size(Axis::c);
  if (!plan.sharded_update) return {channels, channels};
  return {channels * reduction_group(split.mesh, plan.ranks - 1).size(), channels};
}

// Of updates of shards. A plan whose buckets are summed over one group each updates as much at
// once, and, as shards are whole cache lines, perhaps a line less of every slot.
std::vector<KernelOperation> updates_by_bucket(const Schedule& schedule) {
  constexpr std::int64_t line = 16;
  std::vector<KernelOperation> updates;
  auto range = schedule.gradient_ranges.begin();
  bool begins_bucket = true;
  for (const Operation& operation : schedule.operations) {
    if (!is_update(operation)) continue;
    const auto& update = std::get<KernelOperation>(operation.body);
    if (begins_bucket) updates.push_back(update);
    std::int64_t& elements = updates.back().spec.in[Dim::w];
    if (!begins_bucket) elements += update.spec.in[Dim::w];
    elements =
        std::max<std::int64_t>(1, elements - (range->last_slot - range->first_slot + 1) * line);
    updates.back().spec.out = updates.back().spec.in;
    begins_bucket = range++->ends_bucket;
  }
  return updates;
}

std::vector<KernelOperation> updates_of(const Schedule& schedule) {
  if (schedule.sharded_update) return updates_by_bucket(schedule);
  std::vector<KernelOperation> updates;
  for (const Operation& operation : schedule.operations) {
    if (is_update(operation)) updates.push_back(std::get<KernelOperation>(operation.body));
  }
  return updates;
}

double updates_s(const Plan& plan, const SplitChoices& choices, const PriceList& prices) {
  bool splits_channels = false;
  std::vector<int> most_parts;
  for (const UnitSplits& unit : choices.units) {
    const auto most = std::max_element(
        unit.splits.begin(), unit.splits.end(), [&](const Split& a, const Split& b) {
          return parameter_parts(plan, a) < parameter_parts(plan, b);
        });
    most_parts.push_back(static_cast<int>(most - unit.splits.begin()));
    splits_channels = splits_channels || most->mesh.size(Axis::c) > 1;
  }
  const Schedule schedule =
      lower_for_prices(plan_of(plan, choices, most_parts), std::array{plan.ranks - 1}).front();
  double sum = 0.0;
  for (const KernelOperation& update : updates_of(schedule)) {
    const Price price = prices(schedule, Operation{.id = {}, .body = update});
    // Another plan may have more parameters and yet, where times scatter, a faster update.
    sum += splits_channels || plan.sharded_update ? price.low_s : price.seconds;
  }
  return sum;
}

}  // namespace cnnplan
