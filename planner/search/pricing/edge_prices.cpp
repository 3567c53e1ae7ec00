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

// True where readers that need the same blocks share one transfer forward. Copies are not shared.
bool shares_forward(const ReadSignature& signature) {
  return signature.readers > 1 && !signature.reader.traits.copies_inputs;
}

}  // namespace

EdgePrices::EdgePrices(const FusedUnits& fused,
                       const PriceList& prices,
                       std::vector<double> spare_s)
    : fused_(fused),
      plan_(fused.plan()),
      prices_(prices),
      ranks_(probe_ranks(plan_.ranks)),
      spare_s_(std::move(spare_s)),
      message_lower_bound_(prices.platform(), plan_.ranks),
      gather_choice_(prices.platform(), plan_),
      exposed_(1.0 - overlap_of(plan_, prices.platform())) {}

std::vector<RankBoxes> EdgePrices::blocks(const Shape& shape, const std::vector<Split>& splits) {
  std::vector<RankBoxes> owned;
  for (const Split& split : splits) {
    owned.push_back(RankBoxes(Distribution(shape, split.mesh)).tabulated(tables_));
  }
  return owned;
}

void EdgePrices::add_blocks(const Key& key, Edge& edge) {
  const ReadSignature& signature = key.signature;
  edge.key_ = &key;
  edge.owned_ = blocks(signature.reader.input, key.source_splits);
  edge.outputs_ = blocks(signature.reader.output, key.reader_splits);
  for (std::size_t i = 0; i < edge.outputs_.size(); ++i) {
    const ChannelAlgorithm algorithm = key.reader_splits[i].channel_algorithm;
    edge.needed_.push_back(
        needed_blocks(signature.reader, edge.outputs_[i], algorithm).tabulated(tables_));
    edge.methods_.push_back(gather_choice_.methods(edge.needed_.back(), tables_));
  }
}

std::vector<std::vector<Box>> EdgePrices::probed_boxes(const std::vector<RankBoxes>& all) const {
  std::vector<std::vector<Box>> boxes;
  boxes.reserve(all.size());
  for (const RankBoxes& blocks : all) {
    std::vector<Box>& probed = boxes.emplace_back();
    probed.reserve(ranks_.size());
    for (const int rank : ranks_) probed.push_back(blocks.box(rank));
  }
  return boxes;
}

EdgePrices::Edge& EdgePrices::operator()(LayerIndex consumer,
                                         std::size_t input,
                                         const std::vector<Split>& source_splits,
                                         const std::vector<Split>& consumer_splits) {
  const auto [entry, is_new] =
      edges_.try_emplace({fused_.read_signature(consumer, input), source_splits, consumer_splits});
  Edge& edge = entry->second;
  if (!is_new) return edge;
  add_blocks(entry->first, edge);
  EdgePrice& price = edge.price_;
  price.slowest =
      CostMatrix(static_cast<int>(edge.owned_.size()), static_cast<int>(edge.needed_.size()));
  price.again = price.kept_bytes = price.slowest;
  price.least.assign(ranks_.size(), price.slowest);
  edge.has_price_.assign(edge.owned_.size() * edge.needed_.size(), 0);
  const std::vector<std::vector<Box>> owned = probed_boxes(edge.owned_);
  const std::vector<std::vector<Box>> needed = probed_boxes(edge.needed_);
  const GatherBounds gathers(message_lower_bound_,
                             {.sources = edge.owned_, .methods = edge.methods_, .wanted = needed},
                             ranks_,
                             activation_bytes(plan_.precision));
  const Bounds bounds{.owned = owned,
                      .there = {message_lower_bound_, edge.owned_, needed, ranks_},
                      .back = {message_lower_bound_, edge.needed_, owned, ranks_},
                      .gathers = gathers};
  parallel_for(edge.owned_.size(), [&](std::size_t row) {
    for (int column = 0; column < edge.columns(); ++column) {
      bound({.edge = &edge, .row = static_cast<int>(row), .column = column}, bounds);
    }
  });
  return edge;
}

bool EdgePrices::has_price(const Pair& pair) {
  const EdgePrice& price = pair.edge->price_;
  return pair.edge->has_price_[price.slowest.index(pair.row, pair.column)] != 0;
}

std::vector<EdgePrices::Pair> EdgePrices::price(std::vector<Pair> pairs) const {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, has_price);
  parallel_for(pairs.size(), [&](std::size_t i) { set(pairs[i]); });
  return pairs;
}

EdgePrices::Blocks EdgePrices::blocks_of(const Pair& pair) const {
  const Edge& edge = *pair.edge;
  const ReadSignature& signature = edge.key_->signature;
  return {.owned = edge.owned_[pair.row],
          .needed = edge.needed_[pair.column],
          .outputs = edge.outputs_[pair.column],
          .signature = signature,
          .methods = edge.methods_[pair.column],
          .split = edge.key_->source_splits[pair.row],
          .loads = signature.may_load_needed &&
                   loads_needed(edge.owned_[pair.row], edge.needed_[pair.column])};
}

void EdgePrices::bound(const Pair& pair, const Bounds& bounds) const {
  const Blocks blocks = blocks_of(pair);
  const std::int64_t bytes = activation_bytes(plan_.precision);
  const double share = shares_forward(blocks.signature) ? 1.0 / blocks.signature.readers : 1.0;
  const std::optional<RankBoxes> sums = sums_of(blocks);
  EdgePrice& price = pair.edge->price_;
  double& slowest_s = price.slowest(pair.row, pair.column);
  // If there are several readers, another one may fetch the blocks first.
  const LayerTraits reader =
      shares_forward(blocks.signature) ? LayerTraits{} : blocks.signature.reader.traits;
  const bool gathers = may_gather_by_node(reader, blocks.owned);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    double there_s = blocks.loads ? 0.0 : bounds.there.receive_s(pair.row, pair.column, i, bytes);
    if (gathers && there_s > 0.0) {
      there_s = std::min(there_s, bounds.gathers.receive_s(pair.row, pair.column, i));
    }
    const double back_s =
        !blocks.signature.requires_gradient ? 0.0
        : sums ? least_backward_s(blocks, *sums, ranks_[i], bounds.owned[pair.row][i])
               : bounds.back.receive_s(pair.column, pair.row, i, bytes);
    slowest_s = std::max(slowest_s, there_s + back_s);
    const double least_s = exposed_ * (there_s + back_s);
    const bool is_hopeless = least_s > 0.0 && least_s > spare_s_[i];
    if (is_hopeless) {
      slowest_s = hopeless_s;
      pair.edge->has_price_[price.slowest.index(pair.row, pair.column)] = 1;
      for (CostMatrix& least : price.least) least(pair.row, pair.column) = hopeless_s;
      return;
    }
    if (plan_.overlap) continue;
    price.least[i](pair.row, pair.column) = there_s * share + back_s;
  }
}

void EdgePrices::set(const Pair& pair) const {
  const Blocks blocks = blocks_of(pair);
  const LayerTraits& reader = blocks.signature.reader.traits;
  EdgePrice& price = pair.edge->price_;
  const bool there = exchanges_forward(reader, blocks.owned, blocks.needed);
  const bool back =
      blocks.signature.requires_gradient && exchanges_backward(reader, blocks.needed, blocks.owned);
  const bool is_shared = there && shares_forward(blocks.signature);
  const std::optional<RankBoxes> sums = sums_of(blocks);
  const NodeParts* gather = there ? gather_of(blocks, reader) : nullptr;
  // The reader that fetches first may gather node by node, even if this reader may not.
  const NodeParts* first_gather =
      is_shared && !plan_.overlap ? gather_of(blocks, LayerTraits{}) : nullptr;
  double& slowest_s = price.slowest(pair.row, pair.column);
  slowest_s = 0.0;
  for (int rank : probe_ranks({&blocks.owned.mesh(), &blocks.needed.mesh()})) {
    const Part part = part_of(blocks, rank, (there && !blocks.loads) || back);
    const double back_s = !back  ? 0.0
                          : sums ? backward_in_sums_s(blocks, *sums, part)
                                 : backward_s(blocks, part);
    const Arrival arrival = gather  ? gathered(blocks, gather->parts, part)
                            : there ? forward(blocks, part)
                                    : Arrival{};
    slowest_s = std::max(slowest_s, arrival.seconds + back_s);
    if (there && reader.reads_input_again) {
      double& bytes = price.kept_bytes(pair.row, pair.column);
      if (arrival.has_own_buffer) bytes = std::max(bytes, activation_bytes_of(part.want));
      double& again_s = price.again(pair.row, pair.column);
      again_s = std::max(again_s, arrival.seconds);
    }
    const auto probe = std::find(ranks_.begin(), ranks_.end(), rank);
    if (probe == ranks_.end() || plan_.overlap) continue;
    price.least[probe - ranks_.begin()](pair.row, pair.column) =
        (is_shared ? least_forward_s(blocks, part, first_gather) : arrival.seconds) + back_s;
  }
  pair.edge->has_price_[price.slowest.index(pair.row, pair.column)] = 1;
}

EdgePrices::Part EdgePrices::part_of(const Blocks& blocks, int rank, bool exchanges) {
  Part part{
      .rank = rank, .own = blocks.owned.box(rank), .want = blocks.needed.box(rank), .there = {}};
  if (exchanges) part.there = transfer_list(blocks.owned, blocks.needed, rank);
  return part;
}

Box EdgePrices::reader_box(const Blocks& blocks, const Part& part) {
  const LayerSignature& reader = blocks.signature.reader;
  if (!reader.traits.copies_inputs) return part.want;
  return shifted(blocks.outputs.box(part.rank), Dim::c, -reader.first_channel);
}

Box EdgePrices::storage(const Blocks& blocks, const Part& part) {
  const bool is_dense_read = needs_dense_blocks(blocks.signature.reader.traits);
  const std::span<const Box> dense_reads(&part.want, is_dense_read ? 1 : 0);
  return storage_block(part.own, blocks.signature.writes_dense_blocks(blocks.split), dense_reads);
}

EdgePrices::Arrival EdgePrices::forward(const Blocks& blocks, const Part& part) const {
  if (blocks.loads) {
    const std::int64_t more = volume(part.want) - volume(part.own);
    return {.seconds = prices_.load_s(checked_multiply(more, activation_bytes(plan_.precision)))};
  }
  const ListOf list_of = lists_of(blocks.owned, blocks.needed);
  if (blocks.signature.reader.traits.copies_inputs) {
    const Box output = reader_box(blocks, part);
    return {.seconds = transfer_s({.list = part.there}, part.own, output, part.rank, list_of)};
  }
  const Box stored = storage(blocks, part);
  const Exchange exchange = exchange_forward(part.there, part.own, part.want, stored, part.rank);
  const Box& destination = exchange.in_place ? stored : part.want;
  return {.seconds = transfer_s(exchange, stored, destination, part.rank, list_of),
          .has_own_buffer = !exchange.in_place};
}

// The lowering adds both transfers in TensorTable::fetch_by_node.
EdgePrices::Arrival EdgePrices::gathered(const Blocks& blocks,
                                         const RankBoxes& parts,
                                         const Part& part) const {
  return {.seconds = gather_choice_.seconds(blocks.owned, parts, blocks.needed, part.rank),
          .has_own_buffer = true};
}

const NodeParts* EdgePrices::gather_of(const Blocks& blocks, const LayerTraits& reader) const {
  if (blocks.loads) return nullptr;
  return gather_choice_.fastest(blocks.methods, reader, blocks.owned, blocks.needed);
}

double EdgePrices::activation_bytes_of(const Box& box) const {
  return static_cast<double>(checked_multiply(volume(box), activation_bytes(plan_.precision)));
}

// A larger storage never makes fewer copies of the sent elements. Room for the halo saves the copy
// of the elements that stay.
double EdgePrices::least_forward_s(const Blocks& blocks,
                                   const Part& part,
                                   const NodeParts* gather) const {
  const bool is_dense = blocks.signature.writes_dense_blocks(blocks.split);
  const Box stored = storage_block(part.own, is_dense, std::span(&part.want, 1));
  const Exchange exchange = exchange_forward(part.there, part.own, part.want, stored, part.rank);
  const ListOf list_of = lists_of(blocks.owned, blocks.needed);
  double least_s = transfer_s(exchange, part.own, part.want, part.rank, list_of);
  if (gather != nullptr) least_s = std::min(least_s, gathered(blocks, gather->parts, part).seconds);
  return least_s / blocks.signature.readers;
}

std::optional<RankBoxes> EdgePrices::sums_of(const Blocks& blocks) {
  if (!blocks.owned.has_replicas()) return std::nullopt;
  const LayerTraits& reader = blocks.signature.reader.traits;
  const bool exchanges =
      blocks.signature.requires_gradient && exchanges_backward(reader, blocks.needed, blocks.owned);
  if (!exchanges || blocks.signature.gradient_use.sliced.is_shared) return std::nullopt;
  return blocks_of_sums(reader, blocks.needed, blocks.owned);
}

double EdgePrices::least_backward_s(const Blocks& blocks,
                                    const RankBoxes& sums,
                                    int rank,
                                    const Box& own) const {
  const auto bound_s = [&](const RankBoxes& sources, const Box& wanted) {
    return message_lower_bound_.receive_s(sources, wanted, rank, activation_bytes(plan_.precision));
  };
  return bound_s(blocks.needed, sums.box(rank)) + bound_s(sums, own);
}

// The lowering adds both exchanges in GradientTable::sum_and_gather.
double EdgePrices::backward_in_sums_s(const Blocks& blocks,
                                      const RankBoxes& sums,
                                      const Part& part) const {
  const Box have = reader_box(blocks, part);
  const Box summed = sums.box(part.rank);
  const GradientUse use{.shared = blocks.signature.gradient_use.shared,
                        .replicas = sums.has_replicas()};
  const Exchange sum = exchange_backward(
      transfer_list(blocks.needed, sums, part.rank), part.want, summed, use, part.rank);
  const Box stored = sum.in_place ? have : summed;
  const Exchange gather = exchange_forward(
      transfer_list(sums, blocks.owned, part.rank), summed, part.own, stored, part.rank);
  return transfer_s(sum, have, stored, part.rank, lists_of(blocks.needed, sums)) +
         transfer_s(gather,
                    stored,
                    gather.in_place ? stored : part.own,
                    part.rank,
                    lists_of(sums, blocks.owned));
}

double EdgePrices::backward_s(const Blocks& blocks, const Part& part) const {
  const Box have = reader_box(blocks, part);
  GradientUse use = blocks.signature.gradient_use;
  use.replicas = blocks.owned.has_replicas();
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
