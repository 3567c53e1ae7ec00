// Prices the exchanges of the lowering on each probed rank.
#include "planner/search/pricing/edge_prices.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/parallel.hpp"
#include "planner/cost/links.hpp"
#include "planner/predict/virtual_time.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

// This is longer than any step.
constexpr double hopeless_s = 1e9;

}  // namespace

EdgePrices::EdgePrices(const FusedUnits& fused,
                       const PriceList& prices,
                       std::vector<double> spare_s)
    : fused_(fused),
      plan_(fused.plan()),
      prices_(prices),
      ranks_(probe_ranks(plan_.ranks)),
      spare_s_(std::move(spare_s)),
      least_message_(prices.platform()),
      exposed_(1.0 - overlap_of(plan_, prices.platform())) {}

EdgePrices::Rules EdgePrices::rules_of(LayerIndex consumer, std::size_t input) const {
  const Network& network = plan_.network;
  const LayerIndex source = network.inputs_of(consumer).at(input);
  const LayerParameters& reader = network.layer(consumer).parameters;
  const LayerParameters& tensor = network.layer(source).parameters;
  const LayerIndex writer = fused_.unit_of(source).head;
  const bool dense = needs_dense_blocks(tensor);
  return {.dense = dense,
          .fused = !dense && needs_dense_blocks(network.layer(writer).parameters),
          .dense_gradient = fused_.needs_dense_gradient(source),
          .gradient = fused_.requires_gradient(source),
          .dense_read = needs_dense_blocks(reader),
          .samples = has_one_dense_reader(network, source),
          .shared = shares_gradient(reader, input),
          .kept = traits_of(reader).reads_input_again,
          .sliced = fused_.sliced_gradient(consumer),
          .copies = copies_inputs(reader),
          .groups = mixes_channels(reader) ? groups_of(reader) : 0,
          .transposed = is_transposed(reader),
          .first_channel = network.first_channel(consumer, input),
          .readers = static_cast<int>(network.consumers_of(source).size())};
}

Window EdgePrices::window_of(LayerIndex layer) const {
  return has_window(plan_.network.layer(layer).parameters) ? plan_.network.window_of(layer)
                                                           : Window{};
}

std::vector<BlockOwnership> EdgePrices::blocks(LayerIndex layer, const std::vector<Split>& splits) {
  const Shape shape = plan_.network.output_shape(layer, plan_.batch);
  std::vector<BlockOwnership> owned;
  for (const Split& split : splits) {
    owned.push_back(BlockOwnership(Distribution(shape, split.mesh)).tabulated(tables_));
  }
  return owned;
}

EdgePrices::Edge& EdgePrices::operator()(LayerIndex consumer,
                                         std::size_t input,
                                         const std::vector<Split>& source_splits,
                                         const std::vector<Split>& consumer_splits) {
  const LayerIndex source = plan_.network.inputs_of(consumer).at(input);
  const Rules rules = rules_of(consumer, input);
  const auto [entry, is_new] =
      edges_.try_emplace({plan_.network.output_shape(source, plan_.batch),
                          plan_.network.output_shape(consumer, plan_.batch),
                          window_of(consumer),
                          source_splits,
                          consumer_splits,
                          rules});
  Edge& edge = entry->second;
  if (!is_new) return edge;
  edge.rules_ = rules;
  edge.owned_ = blocks(source, source_splits);
  edge.outputs_ = blocks(consumer, consumer_splits);
  for (const Split& split : source_splits) {
    edge.dense_.push_back(rules.dense || (rules.fused && writes_dense_relu(split)));
  }
  for (std::size_t i = 0; i < consumer_splits.size(); ++i) {
    const ChannelAlgorithm algorithm = consumer_splits[i].channel_algorithm;
    edge.needed_.push_back(
        needed_blocks(plan_.network, consumer, input, edge.outputs_[i], algorithm)
            .tabulated(tables_));
  }
  EdgePrice& price = edge.price_;
  price.slowest =
      CostMatrix(static_cast<int>(edge.owned_.size()), static_cast<int>(edge.needed_.size()));
  price.again = price.kept_bytes = price.slowest;
  price.least.assign(ranks_.size(), price.slowest);
  edge.has_price_.assign(edge.owned_.size() * edge.needed_.size(), 0);
  parallel_for(edge.owned_.size(), [&](std::size_t row) {
    for (int column = 0; column < edge.columns(); ++column) {
      bound({.edge = &edge, .row = static_cast<int>(row), .column = column});
    }
  });
  return edge;
}

bool EdgePrices::has_price(const Pair& pair) {
  return pair.edge->has_price_[pair.edge->index(pair.row, pair.column)] != 0;
}

std::vector<EdgePrices::Pair> EdgePrices::price(std::vector<Pair> pairs) const {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, has_price);
  parallel_for(pairs.size(), [&](std::size_t i) { set(pairs[i]); });
  return pairs;
}

EdgePrices::Blocks EdgePrices::blocks_of(const Pair& pair) const {
  const auto row = static_cast<std::size_t>(pair.row);
  const auto column = static_cast<std::size_t>(pair.column);
  const Edge& edge = *pair.edge;
  return {.owned = edge.owned_[row],
          .needed = edge.needed_[column],
          .outputs = edge.outputs_[column],
          .rules = edge.rules_,
          .dense = edge.dense_[row] != 0,
          .loads = edge.rules_.samples && loads_needed(edge.owned_[row], edge.needed_[column])};
}

void EdgePrices::bound(const Pair& pair) const {
  const Blocks blocks = blocks_of(pair);
  const Rules& rules = blocks.rules;
  const std::int64_t bytes = activation_bytes(plan_.precision);
  const double share = rules.readers > 1 && !rules.copies ? 1.0 / rules.readers : 1.0;
  EdgePrice& price = pair.edge->price_;
  double& slowest_s = price.slowest(pair.row, pair.column);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const double there_s =
        blocks.loads
            ? 0.0
            : least_receive_s(least_message_, blocks.owned, blocks.needed, ranks_[i], bytes);
    const double back_s =
        rules.gradient
            ? least_receive_s(least_message_, blocks.needed, blocks.owned, ranks_[i], bytes)
            : 0.0;
    slowest_s = std::max(slowest_s, there_s + back_s);
    const double least_s = exposed_ * (there_s + back_s);
    const bool is_hopeless = least_s > 0.0 && least_s > spare_s_[i];
    if (is_hopeless) {
      slowest_s = hopeless_s;
      pair.edge->has_price_[pair.edge->index(pair.row, pair.column)] = 1;
      for (CostMatrix& least : price.least) least(pair.row, pair.column) = hopeless_s;
      return;
    }
    if (plan_.overlap) continue;
    price.least[i](pair.row, pair.column) = there_s * share + back_s;
  }
}

void EdgePrices::set(const Pair& pair) const {
  const Blocks blocks = blocks_of(pair);
  const Rules& rules = blocks.rules;
  EdgePrice& price = pair.edge->price_;
  const bool forward = rules.copies || exchanges_forward(blocks.owned, blocks.needed);
  const bool back =
      rules.gradient && (rules.copies || exchanges_backward(blocks.needed, blocks.owned));
  const bool is_shared = forward && rules.readers > 1 && !rules.copies;
  double& slowest_s = price.slowest(pair.row, pair.column);
  slowest_s = 0.0;
  for (int rank : probe_ranks({&blocks.owned.mesh(), &blocks.needed.mesh()})) {
    const Part part = part_of(blocks, rank, (forward && !blocks.loads) || back);
    const double back_s = back ? backward_s(blocks, part) : 0.0;
    const double there_s = forward ? forward_s(blocks, part) : 0.0;
    slowest_s = std::max(slowest_s, there_s + back_s);
    if (forward && rules.kept) {
      double& bytes = price.kept_bytes(pair.row, pair.column);
      bytes = std::max(bytes, kept_bytes(blocks, part));
      double& again_s = price.again(pair.row, pair.column);
      again_s = std::max(again_s, there_s);
    }
    const auto probe = std::find(ranks_.begin(), ranks_.end(), rank);
    if (probe == ranks_.end() || plan_.overlap) continue;
    price.least[static_cast<std::size_t>(probe - ranks_.begin())](pair.row, pair.column) =
        (is_shared ? least_forward_s(blocks, part) : there_s) + back_s;
  }
  pair.edge->has_price_[pair.edge->index(pair.row, pair.column)] = 1;
}

EdgePrices::Part EdgePrices::part_of(const Blocks& blocks, int rank, bool exchanges) {
  Part part{
      .rank = rank, .own = blocks.owned.box(rank), .want = blocks.needed.box(rank), .there = {}};
  if (exchanges) part.there = transfer_list(blocks.owned, blocks.needed, rank);
  return part;
}

Box EdgePrices::reader_box(const Blocks& blocks, const Part& part) {
  if (!blocks.rules.copies) return part.want;
  return shifted(blocks.outputs.box(part.rank), Dim::c, -blocks.rules.first_channel);
}

Box EdgePrices::storage(const Blocks& blocks, const Part& part) {
  const std::span<const Box> dense_reads(&part.want, blocks.rules.dense_read ? 1 : 0);
  return storage_block(part.own, blocks.dense, dense_reads);
}

double EdgePrices::forward_s(const Blocks& blocks, const Part& part) const {
  if (blocks.loads) {
    const std::int64_t more = volume(part.want) - volume(part.own);
    return prices_.load_s(checked_multiply(more, activation_bytes(plan_.precision)));
  }
  if (blocks.rules.copies) {
    return transfer_s({.list = part.there},
                      part.own,
                      reader_box(blocks, part),
                      part.rank,
                      lists_of(blocks.owned, blocks.needed));
  }
  const Box stored = storage(blocks, part);
  const Exchange exchange = exchange_forward(part.there, part.own, part.want, stored, part.rank);
  return transfer_s(exchange,
                    stored,
                    exchange.in_place ? stored : part.want,
                    part.rank,
                    lists_of(blocks.owned, blocks.needed));
}

double EdgePrices::kept_bytes(const Blocks& blocks, const Part& part) const {
  if (part.want == part.own || part.want == storage(blocks, part)) return 0.0;
  return static_cast<double>(
      checked_multiply(volume(part.want), activation_bytes(plan_.precision)));
}

// A larger storage never makes fewer copies of the sent elements. Room for the halo saves the copy
// of the elements that stay.
double EdgePrices::least_forward_s(const Blocks& blocks, const Part& part) const {
  const Box stored = storage_block(part.own, blocks.dense, std::span(&part.want, 1));
  const Exchange exchange = exchange_forward(part.there, part.own, part.want, stored, part.rank);
  const ListOf list_of = lists_of(blocks.owned, blocks.needed);
  return transfer_s(exchange, part.own, part.want, part.rank, list_of) / blocks.rules.readers;
}

double EdgePrices::backward_s(const Blocks& blocks, const Part& part) const {
  const Box have = reader_box(blocks, part);
  const GradientUse use{.shared = blocks.rules.shared,
                        .dense = blocks.rules.dense_gradient,
                        .replicas = blocks.owned.has_replicas(),
                        .sliced = blocks.rules.sliced};
  const Exchange exchange =
      exchange_backward(way_back(part.there, blocks.owned, blocks.needed, part.rank),
                        part.want,
                        part.own,
                        use,
                        part.rank);
  return transfer_s(exchange,
                    have,
                    exchange.in_place ? have : part.own,
                    part.rank,
                    lists_of(blocks.needed, blocks.owned));
}

double EdgePrices::transfer_s(const Exchange& exchange,
                              const Box& from,
                              const Box& to,
                              int rank,
                              const ListOf& list_of) const {
  const TransferTraits traits{.element_bytes = activation_bytes(plan_.precision),
                              .source_box = from,
                              .destination_box = to,
                              .accumulate = exchange.accumulate,
                              .zero_first = exchange.zero_first};
  return transfer_time(prices_.platform(), exchange.list, rank, traits, list_of).total_s();
}

}  // namespace cnnplan
