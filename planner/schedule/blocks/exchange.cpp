// Computes transfer lists, and decides which part of a tensor stays where it is.
#include "planner/schedule/blocks/exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cnnplan {
namespace {

// Applies `exchange_of` to the rank's list, its source box and its destination box under the rule.
template <typename ExchangeOf>
Exchange by_rule(SharedRule rule, int rank, const ExchangeOf& exchange_of) {
  Exchange exchange =
      exchange_of(rule->list(rank), rule->sources.box(rank), rule->destinations.box(rank));
  exchange.rule = std::move(rule);
  return exchange;
}

void keep_own_part(Exchange& exchange, int rank) {
  const auto is_own = [rank](const Piece& piece) { return piece.peer == rank; };
  std::erase_if(exchange.list.sends, is_own);
  std::erase_if(exchange.list.receives, is_own);
  exchange.in_place = true;
}

// Sorts pieces by the source blocks that they are part of.
void sort_by_block(const RankBoxes& sources, std::vector<Piece>& pieces) {
  std::vector<std::pair<int, Piece>> by_block;
  for (const Piece& piece : pieces) by_block.emplace_back(sources.block(piece.peer), piece);
  std::sort(by_block.begin(), by_block.end());
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = by_block[i].second;
}

// Returns the different ranges of the pieces in one dim, in ascending order.
std::vector<Range> ranges_in(const std::vector<Piece>& pieces, std::size_t dim) {
  std::vector<Range> ranges;
  for (const Piece& piece : pieces) {
    const Range range = piece.box.ranges[dim];
    if (ranges.empty() || ranges.back() != range) ranges.push_back(range);
  }
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

// True when the pieces cover `box` without overlap, so that they can be written instead of added.
// Pieces combine some ranges of every dim. They do not overlap where the ranges of no dim overlap
// and each combination occurs once.
bool tiles(const std::vector<Piece>& pieces, const Box& box) {
  std::size_t combinations = 1;
  for (std::size_t dim = 0; dim < dim_count; ++dim) {
    const std::vector<Range> ranges = ranges_in(pieces, dim);
    const auto meet = [](const Range& a, const Range& b) { return b.begin < a.end; };
    if (std::adjacent_find(ranges.begin(), ranges.end(), meet) != ranges.end()) return false;
    combinations *= ranges.size();
  }
  std::int64_t covered = 0;
  for (const Piece& piece : pieces) covered += volume(piece.box);
  return combinations == pieces.size() && covered == volume(box);
}

}  // namespace

SharedRule rule_of(const RankBoxes& sources, const RankBoxes& destinations, int ranks_per_node) {
  return std::make_shared<const TransferRule>(TransferRule{
      .sources = sources, .destinations = destinations, .ranks_per_node = ranks_per_node});
}

Box storage_block(const Box& own, bool dense, std::span<const Box> dense_reads) {
  if (dense || is_empty(own) || dense_reads.empty()) return own;
  const Box& storage = dense_reads.front();
  const bool same = std::all_of(
      dense_reads.begin(), dense_reads.end(), [&](const Box& box) { return box == storage; });
  return same && contains(storage, own) ? storage : own;
}

bool exchanges_forward(const LayerTraits& reader, const RankBoxes& owned, const RankBoxes& needed) {
  return reader.copies_inputs || !same_boxes(owned, needed);
}

bool loads_needed(const RankBoxes& owned, const RankBoxes& needed) {
  if (owned.mesh() != needed.mesh() || same_boxes(owned, needed)) return false;
  constexpr std::array dims{std::pair{Dim::c, Axis::c},
                            std::pair{Dim::d, Axis::d},
                            std::pair{Dim::h, Axis::h},
                            std::pair{Dim::w, Axis::w}};
  return std::all_of(dims.begin(), dims.end(), [&](const auto& split) {
    const auto [dim, axis] = split;
    for (int i = 0; i < owned.mesh().size(axis); ++i) {
      const Range own = owned.range(dim, i);
      const Range want = needed.range(dim, i);
      if (own.size() == 0 || own.begin < want.begin || own.end > want.end) return false;
    }
    return true;
  });
}

bool exchanges_backward(const LayerTraits& reader,
                        const RankBoxes& needed,
                        const RankBoxes& owned) {
  return reader.copies_inputs || !same_boxes(needed, owned) || !same_blocks(needed, owned);
}

std::optional<RankBoxes> blocks_of_sums(const LayerTraits& reader,
                                        const RankBoxes& needed,
                                        const RankBoxes& owned) {
  // Each rank sends twice as many messages, which must be long enough to be worth it.
  constexpr std::int64_t least_elements = 512;
  const Mesh& mesh = needed.mesh();
  const bool has_stages = mesh.size(Axis::l) > 1 || owned.mesh().size(Axis::l) > 1;
  if (!owned.has_replicas() || reader.copies_inputs || has_stages) return std::nullopt;
  Shape shape;
  const Box tensor = owned.hull();
  for (const Dim dim : all_dims) shape[dim] = tensor[dim].end;
  std::int64_t channels = 0;  // of all parts
  for (int i = 0; i < mesh.size(Axis::c); ++i) channels += needed.range(Dim::c, i).size();
  if (channels <= 2 * shape[Dim::c]) return std::nullopt;
  RankBoxes sums(Distribution(shape, mesh));
  if (volume(sums.box(0)) < least_elements) return std::nullopt;
  return sums;
}

bool may_gather_by_node(const LayerTraits& reader, const RankBoxes& owned) {
  return reader.inputs.maximum == 1 && !reader.copies_inputs && !owned.has_replicas() &&
         owned.mesh().size(Axis::l) == 1;
}

Exchange exchange_forward(SharedRule owned_to_needed, const Box& storage, int rank) {
  return by_rule(
      std::move(owned_to_needed), rank, [&](TransferList list, const Box& own, const Box& want) {
        return exchange_forward(std::move(list), own, want, storage, rank);
      });
}

Exchange exchange_forward(
    TransferList list, const Box& own, const Box& want, const Box& storage, int rank) {
  Exchange exchange{.list = std::move(list)};
  if (want == own || want == storage) keep_own_part(exchange, rank);
  return exchange;
}

Exchange exchange_into_output(SharedRule owned_to_needed, int rank) {
  TransferList list = owned_to_needed->list(rank);
  return {.list = std::move(list), .rule = std::move(owned_to_needed)};
}

bool shares_gradient(const LayerParameters& parameters, std::size_t input) {
  if (const auto* add = std::get_if<Add>(&parameters)) return input == 0 || !is_scaled(*add);
  return copies_inputs(parameters);
}

namespace {

Range channels_of(const Slice& slice) {
  return {slice.first_channel, slice.first_channel + slice.channels};
}

// Decides about the gradients of slices that read one tensor of `channels` channels. The slices,
// `consumers`, are in ascending order.
void add_sliced_gradients(const Network& network,
                          const std::vector<LayerIndex>& consumers,
                          std::int64_t channels,
                          IndexedVector<LayerIndex, SlicedGradient>& gradients) {
  std::vector<Range> slices;
  for (const LayerIndex consumer : consumers) {
    slices.push_back(channels_of(std::get<Slice>(network.layer(consumer).parameters)));
  }
  std::sort(slices.begin(), slices.end());
  const auto meet = [](const Range& a, const Range& b) { return b.begin < a.end; };
  const bool overlaps = std::adjacent_find(slices.begin(), slices.end(), meet) != slices.end();
  std::int64_t covered = 0;
  for (const Range& slice : slices) covered += slice.size();
  const bool tiles = !overlaps && covered == channels;
  for (const LayerIndex consumer : consumers) {
    const bool is_first = consumer == consumers.back();
    gradients[consumer] = {
        .is_shared = true, .clears = is_first && !tiles, .adds = !is_first && overlaps};
  }
}

}  // namespace

IndexedVector<LayerIndex, SlicedGradient> sliced_gradients(const Network& network) {
  IndexedVector<LayerIndex, SlicedGradient> gradients(network.layers().size());
  for (const LayerIndex source : network.layers().indices()) {
    std::vector<LayerIndex> slices;
    for (const LayerIndex consumer : network.consumers_of(source)) {
      if (std::holds_alternative<Slice>(network.layer(consumer).parameters)) {
        slices.push_back(consumer);
      }
    }
    if (slices.empty()) continue;
    std::sort(slices.begin(), slices.end());
    add_sliced_gradients(network, slices, network.output_shape(source, 1)[Dim::c], gradients);
  }
  return gradients;
}

Exchange exchange_backward(SharedRule needed_to_owned, const GradientUse& use, int rank) {
  Exchange exchange = by_rule(
      std::move(needed_to_owned), rank, [&](TransferList list, const Box& have, const Box& own) {
        return exchange_backward(std::move(list), have, own, use, rank);
      });
  if (use.replicas && exchange.accumulate) {
    sort_by_block(exchange.rule->sources, exchange.list.receives);
  }
  return exchange;
}

Exchange exchange_backward(
    TransferList list, const Box& have, const Box& own, const GradientUse& use, int rank) {
  if (use.sliced.is_shared) {
    return {.list = std::move(list),
            .accumulate = use.sliced.adds,
            .zero_first = use.sliced.clears && !is_empty(own)};
  }
  Exchange exchange{.list = std::move(list), .accumulate = true};
  const auto& sends = exchange.list.sends;
  const bool sends_own = std::any_of(sends.begin(), sends.end(), [&](const Piece& piece) {
    return piece.peer != rank && overlap(piece.box, own);
  });
  if (!use.shared && !use.replicas && !is_empty(own) && contains(have, own) && !sends_own &&
      (!use.dense || have == own)) {
    keep_own_part(exchange, rank);
    return exchange;
  }
  exchange.accumulate = exchange.zero_first = !tiles(exchange.list.receives, own);
  return exchange;
}

}  // namespace cnnplan
