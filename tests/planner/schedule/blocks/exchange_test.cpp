// Tests which blocks ranks exchange forward and backward, and where these are stored.
#include "planner/schedule/blocks/exchange.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/blocks/ownership.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan {
namespace {

const Shape shape{{2, 1, 1, 8, 4}};

Box rows(std::int64_t begin, std::int64_t end) {
  Box box = whole(shape);
  box[Dim::h] = {begin, end};
  return box;
}

RankBoxes on(const char* mesh) {
  return RankBoxes(Distribution(shape, parse_mesh(mesh)));
}

// Makes windows over `kernel` rows.
Window rows_window(std::int64_t kernel, std::int64_t padding) {
  Window window;
  window.dims[1] = {.kernel = kernel, .padding_begin = padding, .padding_end = padding};
  return window;
}

// These are the blocks of h2 with one row of halo around them.
const RankBoxes with_halo = on("h2").under(rows_window(3, 1), shape);

}  // namespace

TEST_CASE("storage_block: room for a halo if all dense reads need the same block") {
  const Box own = rows(0, 4);
  const Box halo = rows(0, 5);
  CHECK(storage_block(own, false, {}) == own);
  CHECK(storage_block(own, false, std::array{halo}) == halo);
  CHECK(storage_block(own, false, std::array{halo, halo}) == halo);
  CHECK(storage_block(own, false, std::array{halo, own}) == own);
  CHECK(storage_block(own, false, std::array{own, halo}) == own);
  CHECK(storage_block(own, false, std::array{halo, rows(0, 6)}) == own);
}

TEST_CASE("storage_block: no room for blocks without the own block, or for dense writers") {
  CHECK(storage_block(rows(0, 4), false, std::array{rows(1, 5)}) == rows(0, 4));
  CHECK(storage_block(rows(0, 4), true, std::array{rows(0, 5)}) == rows(0, 4));
  CHECK(storage_block(Box{}, false, std::array{rows(0, 5)}) == Box{});
}

TEST_CASE("Exchanges: needed if boxes differ; backward also if replicas hold parts") {
  CHECK_FALSE(exchanges_forward({}, on("h2"), on("h2")));
  CHECK_FALSE(exchanges_backward({}, on("h2"), on("h2")));
  CHECK(exchanges_forward({}, on("h2"), with_halo));
  CHECK(exchanges_backward({}, with_halo, on("h2")));
  // The windows are so wide that each of two blocks of outputs needs all rows.
  const RankBoxes parts = on("h2").under(rows_window(15, 7), shape);
  CHECK_FALSE(exchanges_forward({}, on("r2"), parts));
  CHECK(exchanges_backward({}, parts, on("r2")));
}

TEST_CASE("exchange_forward: a halo is received into the buffer with room for it") {
  const Exchange exchange = exchange_forward(rule_of(on("h2"), with_halo), rows(0, 5), 0);
  CHECK(exchange.in_place);
  CHECK(exchange.list.sends == std::vector<Piece>{{1, rows(3, 4)}});
  CHECK(exchange.list.receives == std::vector<Piece>{{1, rows(4, 5)}});
}

TEST_CASE("exchange_forward: without room the own block is copied too") {
  const Exchange exchange = exchange_forward(rule_of(on("h2"), with_halo), rows(0, 4), 0);
  CHECK_FALSE(exchange.in_place);
  CHECK(exchange.list.receives == std::vector<Piece>{{0, rows(0, 4)}, {1, rows(4, 5)}});
}

TEST_CASE("exchange_backward: halos are added around the own block") {
  const Exchange exchange = exchange_backward(rule_of(with_halo, on("h2")), {}, 1);
  CHECK(exchange.in_place);
  CHECK(exchange.accumulate);
  CHECK_FALSE(exchange.zero_first);
  CHECK(exchange.list.sends == std::vector<Piece>{{0, rows(3, 4)}});
  CHECK(exchange.list.receives == std::vector<Piece>{{0, rows(4, 5)}});
}

TEST_CASE("exchange_backward: into a cleared buffer where the gradient is shared or read densely") {
  for (const GradientUse& use : {GradientUse{.shared = true}, GradientUse{.dense = true}}) {
    const Exchange exchange = exchange_backward(rule_of(with_halo, on("h2")), use, 1);
    CHECK_FALSE(exchange.in_place);
    CHECK(exchange.accumulate);
    CHECK(exchange.zero_first);
    CHECK(exchange.list.receives == std::vector<Piece>{{0, rows(4, 5)}, {1, rows(4, 8)}});
  }
}

TEST_CASE("exchange_into_output: the own block of a rank is copied, too") {
  const Exchange own = exchange_into_output(rule_of(on("h2"), on("h2")), 1);
  CHECK_FALSE(own.in_place);
  CHECK_FALSE(own.accumulate);
  CHECK_FALSE(own.zero_first);
  CHECK(own.list.sends == std::vector<Piece>{{1, rows(4, 8)}});
  CHECK(own.list.receives == own.list.sends);
  CHECK(exchange_into_output(rule_of(on("h2"), on("n2")), 1).list.receives.size() == 2);
}

TEST_CASE("copies_inputs: true for a concat, whose inputs get parts of one gradient") {
  CHECK(copies_inputs(Concat{}));
  CHECK_FALSE(copies_inputs(Add{}));
  CHECK(shares_gradient(Concat{}, 1));
  const Exchange back = exchange_backward(rule_of(on("h2"), on("h2")), {.shared = true}, 1);
  CHECK_FALSE(back.in_place);
  CHECK_FALSE(back.zero_first);
  CHECK(back.list.receives == std::vector<Piece>{{1, rows(4, 8)}});
}

TEST_CASE("sliced_gradient: cleared where channels are left, added where slices overlap") {
  const auto roles = [](const std::vector<Slice>& slices) {
    std::vector<Layer> layers{{"data", {}, Input{.channels = 6}},
                              {"conv", {"data"}, Convolution{.filters = 6}}};
    std::vector<std::string> names{"conv"};
    for (const Slice& slice : slices) {
      names.push_back("slice" + std::to_string(names.size()));
      layers.push_back({names.back(), {"conv"}, slice});
    }
    layers.push_back({"join", names, Concat{}});
    layers.push_back({"loss", {"join"}, SoftmaxCrossEntropy{}});
    const Network network("slices", layers);
    CHECK(sliced_gradients(network)[LayerIndex(1)] == SlicedGradient{});
    std::vector<SlicedGradient> found;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      found.push_back(sliced_gradients(network)[LayerIndex(i + 2)]);
    }
    return found;
  };
  const SlicedGradient writes{.is_shared = true};
  const SlicedGradient clears{.is_shared = true, .clears = true};
  const SlicedGradient adds{.is_shared = true, .adds = true};
  CHECK(roles({{0, 3}, {3, 3}}) == std::vector{writes, writes});
  CHECK(roles({{4, 2}, {0, 4}}) == std::vector{writes, writes});
  CHECK(roles({{0, 6}}) == std::vector{writes});
  CHECK(roles({{1, 5}}) == std::vector{clears});
  CHECK(roles({{0, 2}, {3, 3}}) == std::vector{writes, clears});
  CHECK(roles({{0, 4}, {3, 3}}) == std::vector{adds, clears});
  CHECK(roles({{0, 6}, {0, 6}}) == std::vector{adds, clears});
}

TEST_CASE("shares_gradient: an add passes its gradient on, except to an input that it scales") {
  CHECK(shares_gradient(Add{}, 0));
  CHECK(shares_gradient(Add{}, 1));
  CHECK(shares_gradient(Add{.scale = 0.5}, 0));
  CHECK_FALSE(shares_gradient(Add{.scale = 0.5}, 1));
  CHECK_FALSE(shares_gradient(Relu{}, 0));
}

TEST_CASE("exchange_backward: pieces that tile the own block are written, not added") {
  const Exchange exchange = exchange_backward(rule_of(on("n2"), on("h2")), {}, 0);
  CHECK_FALSE(exchange.in_place);
  CHECK_FALSE(exchange.accumulate);
  CHECK_FALSE(exchange.zero_first);
  CHECK(exchange.list.receives.size() == 2);
}

TEST_CASE("exchange_backward: replicas add up the same parts in the same order") {
  using Part = std::pair<int, Box>;  // block that it is from
  const Shape image{{4, 3, 1, 9, 8}};
  int sums = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    const int ranks = seed % 2 == 0 ? 6 : 8;
    const RankBoxes owned(Distribution(image, test::random_mesh(seed, ranks)));
    const RankBoxes needed = RankBoxes(Distribution(image, test::random_mesh(~seed, ranks)))
                                 .under(rows_window(5, 2), image);
    const GradientUse use{.replicas = owned.has_replicas()};
    std::map<int, std::vector<Part>> added;  // by block
    for (int rank = 0; owned.has_replicas() && rank < ranks; ++rank) {
      const Exchange exchange = exchange_backward(rule_of(needed, owned), use, rank);
      CHECK_FALSE(exchange.in_place);
      std::vector<Part> parts;
      for (const Piece& piece : exchange.list.receives) {
        parts.emplace_back(needed.block(piece.peer), piece.box);
      }
      sums += exchange.accumulate && parts.size() > 2 ? 1 : 0;
      const auto [entry, is_new] = added.try_emplace(owned.block(rank), parts);
      if (!exchange.accumulate) continue;
      CHECK(entry->second == parts);
    }
  }
  CHECK(sums > 100);
}

namespace {

// Returns the blocks of a tensor with 4096 elements on the mesh, and blocks with all of its
// channels.
struct WideBlocks {
  static constexpr std::int64_t elements = 4096;
  static constexpr std::int64_t channels = 256;

  static RankBoxes owned(const char* mesh) {
    return RankBoxes(Distribution({{2, channels, 1, 8, 1}}, parse_mesh(mesh)));
  }
  static RankBoxes needed(const char* mesh, int parts = 1) {
    return owned(mesh).with_channel_blocks(channels, parts);
  }
};

// Adds 2^block for each source block of `rule` whose part a rank receives, or holds from before.
std::vector<std::map<std::int64_t, int>> receive(const TransferRule& rule,
                                                 std::vector<std::map<std::int64_t, int>> held,
                                                 std::vector<std::int64_t>& received) {
  std::vector<std::map<std::int64_t, int>> sums(held.size());
  for (int rank = 0; rank < std::ssize(held); ++rank) {
    for (const Piece& piece : transfer_list(rule.sources, rule.destinations, rank).receives) {
      const Range range = piece.box[Dim::c];
      for (std::int64_t c = range.begin; c < range.end; ++c) sums[rank][c] += held[piece.peer][c];
      if (piece.peer != rank) received[rank] += volume(piece.box);
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("blocks_of_sums: every replica gets every part once, by two exchanges of few bytes") {
  for (const auto& one : {std::pair{"c4", 1}, {"c8", 1}, {"c8", 2}, {"c3", 1}}) {
    const char* const reader = one.first;
    const int parts = one.second;
    const RankBoxes needed = WideBlocks::needed(reader, parts);
    const int ranks = needed.rank_count();
    const RankBoxes owned = WideBlocks::owned(("r" + std::to_string(ranks)).c_str());
    CAPTURE(reader);
    CAPTURE(parts);
    const auto sums = blocks_of_sums({}, needed, owned);
    REQUIRE(sums);
    std::vector<std::map<std::int64_t, int>> values(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const Range range = needed.box(rank)[Dim::c];
      for (std::int64_t c = range.begin; c < range.end; ++c) values[rank][c] = 1 << rank;
    }
    std::vector<std::int64_t> received(ranks, 0);
    values = receive({needed, *sums}, std::move(values), received);
    values = receive({*sums, owned}, std::move(values), received);
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(received[rank] <= 2 * WideBlocks::elements);
      for (std::int64_t c = 0; c < WideBlocks::channels; ++c) {
        int all = 0;
        for (int other = 0; other < ranks; ++other) {
          const Range range = needed.box(other)[Dim::c];
          if (range.begin <= c && c < range.end) all |= 1 << other;
        }
        CHECK(values[rank][c] == all);
      }
    }
  }
}

TEST_CASE("blocks_of_sums: none where parts are few, short or not summed, or where one rank owns") {
  const auto has = [](const RankBoxes& needed, const RankBoxes& owned, bool copies = false) {
    return blocks_of_sums({.copies_inputs = copies}, needed, owned).has_value();
  };
  CHECK(has(WideBlocks::needed("c4"), WideBlocks::owned("r4")));
  CHECK(has(WideBlocks::needed("n2c4"), WideBlocks::owned("r4n2")));
  CHECK_FALSE(has(WideBlocks::needed("c2"), WideBlocks::owned("r2")));
  CHECK_FALSE(has(WideBlocks::needed("c4"), WideBlocks::owned("n4")));
  CHECK_FALSE(has(WideBlocks::needed("c4"), WideBlocks::owned("r4"), true));
  CHECK_FALSE(has(WideBlocks::owned("c4"), WideBlocks::owned("r4")));
  CHECK_FALSE(has(WideBlocks::owned("r4"), WideBlocks::owned("r4")));
  CHECK_FALSE(has(WideBlocks::needed("c8", 4), WideBlocks::owned("r8")));
  CHECK_FALSE(has(WideBlocks::needed("c16"), WideBlocks::owned("r16")));  // 256 elements each
}

}  // namespace cnnplan
