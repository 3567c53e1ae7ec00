// Prices both transfers of a gather node by node, and compares them with one transfer.
#include "planner/search/pricing/gather_choice.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "planner/cost/links.hpp"
#include "planner/network/layer_signature.hpp"
#include "planner/plan/plan_queries.hpp"
#include "planner/schedule/blocks/exchange.hpp"
#include "planner/schedule/blocks/fused_units.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/tensor/equal_nodes.hpp"

namespace cnnplan {

GatherChoice::GatherChoice(const Platform& platform, const Plan& plan)
    : platform_(platform),
      ranks_per_node_(plan.ranks_per_node),
      has_nodes_(has_equal_nodes(plan.ranks, plan.ranks_per_node)),
      element_bytes_(activation_bytes(plan.precision)) {}

std::vector<NodeParts> GatherChoice::methods(const RankBoxes& needed,
                                             RankBoxes::Tables& tables) const {
  std::vector<NodeParts> found;
  if (!has_nodes_) return found;
  for (const Dim dim : all_dims) {
    const std::optional<RankBoxes> parts = needed.divided_in_nodes(ranks_per_node_, dim);
    if (parts) found.push_back({.method = by_node(dim), .parts = parts->tabulated(tables)});
  }
  return found;
}

double GatherChoice::transfer_s(const RankBoxes& from,
                                const RankBoxes& to,
                                int rank,
                                int ranks_per_node) const {
  const TransferTraits traits{.element_bytes = element_bytes_,
                              .source_box = from.box(rank),
                              .destination_box = to.box(rank)};
  return transfer_time(platform_,
                       transfer_list(from, to, rank, ranks_per_node),
                       rank,
                       traits,
                       lists_of(from, to, ranks_per_node))
      .total_s();
}

double GatherChoice::seconds(const RankBoxes& owned,
                             const RankBoxes& parts,
                             const RankBoxes& needed,
                             int rank) const {
  return transfer_s(owned, parts, rank, 1) + transfer_s(parts, needed, rank, ranks_per_node_);
}

const NodeParts* GatherChoice::fastest(const std::vector<NodeParts>& methods,
                                       const LayerTraits& reader,
                                       const RankBoxes& owned,
                                       const RankBoxes& needed) const {
  if (methods.empty() || !may_gather_by_node(reader, owned)) return nullptr;
  const int last = needed.rank_count() - 1;
  const std::array ranks{0, ranks_per_node_ - 1, last - ranks_per_node_ + 1, last};
  const auto slowest_s = [&](const auto& seconds_of) {
    double most_s = 0.0;
    for (const int rank : ranks) most_s = std::max(most_s, seconds_of(rank));
    return most_s;
  };
  const NodeParts* best = nullptr;
  double best_s = slowest_s([&](int rank) { return transfer_s(owned, needed, rank, 1); });
  for (const NodeParts& method : methods) {
    const double found_s =
        slowest_s([&](int rank) { return seconds(owned, method.parts, needed, rank); });
    if (found_s >= best_s) continue;
    best = &method;
    best_s = found_s;
  }
  return best;
}

namespace {

// Chooses the methods of one plan, and compares equal layers once.
class PlanGathers {
 public:
  PlanGathers(const Plan& plan, const Platform& platform) : plan_(plan), choice_(platform, plan) {}

  GatherMethod method_of(LayerIndex layer) {
    if (!chooses(layer)) return GatherMethod::direct;
    const LayerIndex input = plan_.network.inputs_of(layer).front();
    const LayerPlan& own = plan_.layers[layer];
    const LayerPlan& source = plan_.layers[input];
    const Key key{signature_of(plan_.network, layer, 0, plan_.batch),
                  has_one_dense_reader(plan_.network, input),
                  source.split(),
                  own.split()};
    const bool has_stages = source.mesh.size(Axis::l) > 1 || own.mesh.size(Axis::l) > 1;
    if (has_stages) return GatherMethod::direct;
    const auto known = known_.find(key);
    const GatherMethod method =
        known != known_.end() ? known->second : known_.emplace(key, found(key)).first->second;
    return is_there_otherwise(layer, method) ? GatherMethod::direct : method;
  }

 private:
  // True if another reader fetches the same blocks by another method, and may do so first. The
  // later reader takes these blocks, so its own method would never run. Two readers that choose
  // take the same method for the same blocks.
  bool is_there_otherwise(LayerIndex layer, GatherMethod method) const {
    if (method == GatherMethod::direct) return false;
    const LayerIndex input = plan_.network.inputs_of(layer).front();
    const auto& readers = plan_.network.consumers_of(input);
    return std::any_of(readers.begin(), readers.end(), [&](LayerIndex other) {
      const bool is_first = other < layer || !chooses(other);
      return other != layer && is_first && plan_.layers[other].gather != method &&
             fetches_blocks_of(layer, input, other);
    });
  }

  // True if the layer has a method of its own choice.
  bool chooses(LayerIndex layer) const {
    return may_gather(plan_, layer) && !is_by_multigrid(plan_, layer);
  }

  // True if `other` fetches the blocks of `input` that `layer` needs.
  bool fetches_blocks_of(LayerIndex layer, LayerIndex input, LayerIndex other) const {
    if (traits_of(plan_.network.layer(other).parameters).copies_inputs) return false;
    const std::vector<LayerIndex>& inputs = plan_.network.inputs_of(other);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == input && same_boxes(needed_by(other, i), needed_by(layer, 0))) return true;
    }
    return false;
  }

  RankBoxes needed_by(LayerIndex layer, std::size_t input) const {
    return needed_blocks(signature_of(plan_.network, layer, input, plan_.batch),
                         owned_blocks(plan_, layer),
                         plan_.layers[layer].channel_algorithm);
  }

  // Holds the layer, whether ranks may load its input with its halo, and both splits.
  using Key = std::tuple<LayerSignature, bool, Split, Split>;

  GatherMethod found(const Key& key) const {
    const auto& [signature, may_load, source, own] = key;
    RankBoxes::Tables tables;
    const RankBoxes owned = RankBoxes(Distribution(signature.input, source.mesh)).tabulated(tables);
    const RankBoxes needed =
        needed_blocks(
            signature, RankBoxes(Distribution(signature.output, own.mesh)), own.channel_algorithm)
            .tabulated(tables);
    if (may_load && loads_needed(owned, needed)) return GatherMethod::direct;
    const std::vector<NodeParts> methods = choice_.methods(needed, tables);
    const NodeParts* best = choice_.fastest(methods, signature.traits, owned, needed);
    return best == nullptr ? GatherMethod::direct : best->method;
  }

  const Plan& plan_;
  GatherChoice choice_;
  std::map<Key, GatherMethod> known_;
};

}  // namespace

Plan with_gathers(Plan plan, const Platform& platform) {
  PlanGathers gathers(plan, platform);
  for (const LayerIndex layer : plan.layers.indices()) {
    plan.layers[layer].gather = gathers.method_of(layer);
  }
  return plan;
}

}  // namespace cnnplan
