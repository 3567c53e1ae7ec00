// Lowers once per split all layers that may be split so.
#include "planner/search/pricing/split_costs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/parallel.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/schedule/lower/lower_representatives.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/representatives/representative_ranks.hpp"
#include "planner/search/pricing/probe_ranks.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

Plan on_split(const Plan& plan, const Split& split) {
  Plan uniform = all_on(plan, split);
  uniform.bucket_bytes = 1;  // reduces every unit's gradients alone, so that each has its own cost
  return uniform;
}

// Returns the part of a reduction or gather that belongs to one parameter, or null for any other
// operation.
const CollectiveOperation* of_parameters(const Operation& operation) {
  const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
  if (collective == nullptr) return nullptr;
  return collective->operand.first_slot >= 0 ? collective : nullptr;
}

// Adds up the operations that every rank must run one after the other under any plan with this
// split. updates_s() adds up the updates.
class UnavoidableWork {
 public:
  UnavoidableWork(const Plan& plan, const PriceList& prices)
      : prices_(prices),
        hides_messages_(plan.overlap),
        ranks_(plan.ranks),
        ranks_per_node_(plan.ranks_per_node),
        allreduces_(gradient_allreduces(plan)),
        gradient_bytes_(static_cast<double>(plan.network.parameter_count()) *
                        static_cast<double>(parameter_bytes(plan.precision))) {
    const auto by_nodes =
        std::find(allreduces_.begin(), allreduces_.end(), AllreduceAlgorithm::hierarchical);
    // Sums are made by the ring where replicas lie differently in their nodes.
    if (by_nodes != allreduces_.end()) allreduces_.push_back(AllreduceAlgorithm::ring);
  }

  // `seconds` is the price of the operation.
  double operator()(const Operation& operation, double seconds) const {
    if (is_update(operation)) return 0.0;
    const bool may_hide = operation.stream == Stream::reduce || operation.stream == Stream::halo;
    if (may_hide && hides_messages_) return 0.0;
    const CollectiveOperation* exchange = of_parameters(operation);
    return exchange == nullptr ? seconds : least_s(*exchange);
  }

 private:
  // Returns the least price of an exchange by any of the algorithms that its sum may use.
  double least_s(CollectiveOperation exchange) const {
    double least = std::numeric_limits<double>::infinity();
    for (const AllreduceAlgorithm algorithm : allreduces_) {
      const bool by_nodes = algorithm == AllreduceAlgorithm::hierarchical;
      exchange.algorithm = algorithm;
      exchange.ranks_per_node = by_nodes ? members_per_node(exchange.group, ranks_per_node_) : 1;
      least = std::min(least, prices_.least_s(exchange, ranks_, gradient_bytes_));
    }
    return least;
  }

  const PriceList& prices_;
  bool hides_messages_;
  int ranks_;
  int ranks_per_node_;
  std::vector<AllreduceAlgorithm> allreduces_;
  double gradient_bytes_;
};

// Raises `most` to the bytes that a layer keeps on this rank, where they are more.
void raise(const Schedule& schedule, DeviceKind device, LayerCosts& most) {
  const IndexedVector<LayerIndex, std::int64_t> bytes = layer_bytes(schedule, device);
  for (const LayerIndex i : bytes.indices()) {
    most[i] = std::max(most[i], static_cast<double>(bytes[i]));
  }
}

// Returns whether the operation is a transfer between units.
bool is_edge(const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  return transfer != nullptr && !transfer->of_sums;
}

// Returns the seconds of an operation that do not depend on the splits of other units. A halo that
// is loaded with the samples belongs to the edge to their reader.
double own_s(const Schedule& schedule, const Operation& operation, const PriceList& prices) {
  const auto* load = std::get_if<LoadOperation>(&operation.body);
  if (load == nullptr) return prices(schedule, operation).seconds;
  const Buffer& data = schedule.buffers[load->data];
  const Box& own = schedule.outputs[operation.layer].box;
  return prices.load_s(checked_multiply(volume(own), bytes_of(data.element)));
}

// Says which layers have costs that count: those of units that represent units.
IndexedVector<LayerIndex, bool> representative_layers(const FusedUnits& fused,
                                                      const UnitClasses& classes) {
  IndexedVector<LayerIndex, bool> found(fused.plan().network.layer_count(), false);
  for (const UnitIndex representative : classes.representatives()) {
    found[fused.units()[representative].head] = true;
    found[fused.units()[representative].last] = true;
  }
  return found;
}

// Gives all layers the costs of their representatives. Only the first and the last layer of a unit
// have operations.
void copy_from_representatives(const FusedUnits& fused,
                               const UnitClasses& classes,
                               LayerCosts& costs) {
  const auto at = [&costs](LayerIndex layer) -> double& { return costs[layer]; };
  const IndexedVector<UnitIndex, Unit>& units = fused.units();
  for (const UnitIndex i : units.indices()) {
    const Unit& representative = units[classes.representatives()[i]];
    at(units[i].head) = at(representative.head);
    at(units[i].last) = at(representative.last);
  }
}

// Says whether one of each unit's layers may be split so. Units of samples and losses are always
// wanted.
IndexedVector<UnitIndex, bool> wanted_units(const FusedUnits& units,
                                            const SplitChoices& choices,
                                            const Split& split) {
  IndexedVector<UnitIndex, bool> wanted(units.units().size(), false);
  const auto want = [&](LayerIndex layer) { wanted[units.index_of(units.unit_of(layer))] = true; };
  for (const UnitSplits& unit : choices.units) {
    if (!unit.may_take(split)) continue;
    for (LayerIndex layer : unit.unit.layers) want(layer);
  }
  const Network& network = units.plan().network;
  for (const LayerIndex layer : network.layers().indices()) {
    const LayerParameters& parameters = network.layer(layer).parameters;
    if (std::holds_alternative<Input>(parameters) || is_loss(parameters)) want(layer);
  }
  return wanted;
}

// Returns the costs of all layers that may be split so, without the transfers between units.
SplitCosts split_costs(const Plan& plan,
                       const SplitChoices& choices,
                       const Split& split,
                       const PriceList& prices) {
  const Plan uniform = on_split(plan, split);
  const FusedUnits units(uniform);
  const UnitClasses classes(units);
  const UnavoidableWork unavoidable(uniform, prices);
  const Platform& platform = prices.platform();
  const std::vector<int> ranks =
      representative_ranks(plan, split.mesh, platform, probe_ranks(split));
  const LayerCosts zero(plan.network.layer_count(), 0.0);
  SplitCosts result{.slowest = zero, .kept_bytes = zero, .least = {}};
  const IndexedVector<UnitIndex, bool> wanted = wanted_units(units, choices, split);
  const IndexedVector<LayerIndex, bool> counts = representative_layers(units, classes);
  std::map<int, LayerCosts> least_by_rank;
  for (const Schedule& schedule : lower_representatives(units, classes, wanted, ranks)) {
    raise(schedule, prices.kernels().device(), result.kept_bytes);
    LayerCosts costs = zero;
    LayerCosts least = zero;
    for (const Operation& operation : schedule.operations) {
      const LayerIndex layer = operation.layer;
      if (!counts[layer] || is_edge(operation)) continue;
      const double seconds = own_s(schedule, operation, prices);
      costs[layer] += seconds;
      least[layer] += unavoidable(operation, seconds);
    }
    for (const LayerIndex i : costs.indices()) {
      result.slowest[i] = std::max(result.slowest[i], costs[i]);
    }
    least_by_rank.emplace(schedule.rank, std::move(least));
  }
  for (const int rank : probe_ranks(plan.ranks)) {
    const int representative = representative_rank(plan, split.mesh, platform, rank);
    result.least.push_back(least_by_rank.at(representative));
  }
  copy_from_representatives(units, classes, result.slowest);
  copy_from_representatives(units, classes, result.kept_bytes);
  for (LayerCosts& least : result.least) copy_from_representatives(units, classes, least);
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

// Returns the number of parts of the parameters, and the number of parts by channels alone.
std::pair<int, int> parameter_parts(const Plan& plan, const Split& split) {
  const int channels = split.mesh.size(Axis::c);
  if (!plan.sharded_update) return {channels, channels};
  return {channels * reduction_group(split.mesh, plan.ranks - 1).size(), channels};
}

// Returns one update of shards for each bucket. A plan whose buckets are summed over one group each
// updates as much at once. As shards are whole cache lines, it may update a line less of every
// slot.
std::vector<KernelOperation> updates_by_bucket(const Schedule& schedule) {
  std::vector<KernelOperation> updates;
  auto range = schedule.gradient_ranges.begin();
  bool begins_bucket = true;
  for (const Operation& operation : schedule.operations) {
    if (!is_update(operation)) continue;
    const auto& update = std::get<KernelOperation>(operation.body);
    if (begins_bucket) updates.push_back(update);
    std::int64_t& elements = updates.back().spec.in[Dim::w];
    if (!begins_bucket) elements += update.spec.in[Dim::w];
    elements = std::max<std::int64_t>(
        1, elements - (range->last_slot - range->first_slot + 1) * shard_line_elements);
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
  const Schedule schedule = lower(plan_of(plan, choices, most_parts),
                                  std::array{plan.ranks - 1},
                                  {.detail = Detail::priced})
                                .front();
  double sum = 0.0;
  for (const KernelOperation& update : updates_of(schedule)) {
    const Price price = prices(schedule, Operation{.id = {}, .body = update});
    // Another plan may have more parameters and yet, where times scatter, a faster update.
    sum += splits_channels || plan.sharded_update ? price.low_s : price.seconds;
  }
  return sum;
}

}  // namespace cnnplan
