// Tests the ring in one process: every rank's hops, with queues between the ranks.
#include "executor/comm/ring.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/sum_kernels.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

using Blocks = std::vector<std::vector<double>>;

// Holds the progress of one rank: its next hop, and the chunks that have come from the left.
struct SimulatedRank {
  std::int64_t next = 0;
  std::deque<std::vector<double>> inbox;
};

// Runs one hop if the chunk that it needs is there. Returns false when the rank is done or must
// wait.
bool advance(const RingHops& hops,
             SimulatedRank& rank,
             SimulatedRank& right,
             std::vector<double>& values) {
  if (rank.next == hops.size()) return false;
  const RingHop hop = hops[rank.next];
  double* own = values.data() + hop.begin;
  if (hop.count > 0 && hop.receives) {
    if (rank.inbox.empty()) return false;
    const std::vector<double> chunk = rank.inbox.front();
    rank.inbox.pop_front();
    CHECK(static_cast<std::int64_t>(chunk.size()) == hop.count);
    for (std::size_t i = 0; i < chunk.size(); ++i) own[i] = chunk[i] + (hop.adds ? own[i] : 0.0);
  }
  if (hop.count > 0 && hop.sends) right.inbox.emplace_back(own, own + hop.count);
  ++rank.next;
  return true;
}

// Runs all ranks until none can go on; returns the longest queue.
std::size_t simulate(const RingShape& shape, Blocks& values) {
  const auto ranks = static_cast<std::size_t>(shape.ranks);
  std::vector<SimulatedRank> state(ranks);
  std::size_t longest = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < ranks; ++r) {
      SimulatedRank& right = state[(r + 1) % ranks];
      moved |= advance(RingHops(shape, static_cast<int>(r)), state[r], right, values[r]);
      longest = std::max(longest, right.inbox.size());
    }
  }
  return longest;
}

// Returns numbers that differ on every rank.
Blocks counted(int ranks, std::int64_t elements) {
  Blocks values(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    auto& own = values[static_cast<std::size_t>(r)];
    own.resize(static_cast<std::size_t>(elements));
    std::iota(own.begin(), own.end(), 1000.0 * r);
  }
  return values;
}

std::vector<double> sum_of(const Blocks& values) {
  std::vector<double> sum(values.front().size());
  for (const auto& own : values) {
    add(sum.data(), own.data(), static_cast<std::int64_t>(own.size()));
  }
  return sum;
}

}  // namespace

TEST_CASE("RingHops: every rank ends with the sum, for any size and rank count") {
  for (int ranks : {2, 3, 4, 5, 8}) {
    for (std::int64_t elements : {0, 1, 2, 3, 7, 63, 64, 65, 100, 1001}) {
      CAPTURE(ranks);
      CAPTURE(elements);
      const RingShape shape{
          .elements = elements, .ranks = ranks, .chunk_elements = 5, .chunks_per_block = 3};
      Blocks values = counted(ranks, elements);
      const std::vector<double> expected = sum_of(values);
      simulate(shape, values);
      for (const auto& own : values) CHECK(own == expected);
    }
  }
}

TEST_CASE("RingHops: the halves leave each rank its shard of the sum, and then all shards") {
  for (int ranks : {2, 3, 4, 5, 8}) {
    for (std::int64_t elements : {0, 1, 15, 16, 17, 63, 64, 65, 100, 1001}) {
      CAPTURE(ranks);
      CAPTURE(elements);
      RingShape shape{.kind = CollectiveKind::reduce_scatter,
                      .elements = elements,
                      .ranks = ranks,
                      .chunk_elements = 5,
                      .chunks_per_block = 3};
      Blocks values = counted(ranks, elements);
      const std::vector<double> expected = sum_of(values);
      simulate(shape, values);
      for (int r = 0; r < ranks; ++r) {
        auto& own = values[static_cast<std::size_t>(r)];
        const Range part = shard(elements, ranks, r);
        CHECK(std::equal(
            own.begin() + part.begin, own.begin() + part.end, expected.begin() + part.begin));
        std::fill(own.begin(), own.begin() + part.begin, -1.0);
        std::fill(own.begin() + part.end, own.end(), -1.0);
      }
      shape.kind = CollectiveKind::allgather;
      CHECK(simulate(shape, values) <= 2 * static_cast<std::size_t>(shape.chunks_per_block));
      for (const auto& own : values) CHECK(own == expected);
    }
  }
}

TEST_CASE("RingHops: a rank sends (p-1)/p of the bytes in each half, as described") {
  for (CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::allgather}) {
    const RingShape shape{
        .kind = kind, .elements = 256, .ranks = 4, .chunk_elements = 10, .chunks_per_block = 3};
    const RingHops hops(shape, 1);
    std::int64_t sent = 0;
    for (std::int64_t i = 0; i < hops.size(); ++i) sent += hops[i].sends ? hops[i].count : 0;
    CHECK(sent == shape.elements * 3 / 4);
    const RoundSeries series = ring_series(shape.ranks);
    CHECK(sent == round_count(series, kind) * shape.elements / series.parts);
  }
}

TEST_CASE("RingHops: a rank sends 2(p-1)/p of the bytes in 2(p-1) messages per chunk") {
  const RingShape shape{.elements = 240, .ranks = 4, .chunk_elements = 10, .chunks_per_block = 6};
  const RingHops hops(shape, 1);
  std::int64_t sent = 0;
  int messages = 0;
  for (std::int64_t i = 0; i < hops.size(); ++i) {
    if (!hops[i].sends || hops[i].count == 0) continue;
    sent += hops[i].count;
    ++messages;
  }
  CHECK(sent == shape.elements * 2 * 3 / 4);
  CHECK(messages == 2 * 3 * 6);
  const RoundSeries series = ring_series(shape.ranks);
  CHECK(messages == round_count(series, shape.kind) * shape.chunks_per_block);
}

TEST_CASE("RingHops: one hop stays within its link's room") {
  const RingShape shape{.elements = 1001, .ranks = 3, .chunk_elements = 7, .chunks_per_block = 4};
  Blocks values(3, std::vector<double>(1001, 1.0));
  CHECK(simulate(shape, values) <= 2 * 4);
}

TEST_CASE("RingHops: one rank has nothing to do") {
  const RingShape shape{.elements = 10, .ranks = 1, .chunk_elements = 4, .chunks_per_block = 2};
  CHECK(RingHops(shape, 0).size() == 0);
}

TEST_CASE("sum kernels: stream copies any number of bytes from any place") {
  alignas(16) std::array<std::byte, 64> to{};
  std::array<std::byte, 64> from{};
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
  for (std::size_t bytes : {0, 1, 15, 16, 17, 48, 61}) {
    to.fill(std::byte{0});
    stream(to.data(), from.data() + 3, bytes);
    CHECK(
        std::equal(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(bytes), from.begin() + 3));
    CHECK(to[bytes] == std::byte{0});
  }
}

TEST_CASE("sum kernels: add, add and forward, copy and forward") {
  std::vector<float> own(37);
  std::vector<float> received(37);
  std::vector<float> forward(37);
  std::iota(own.begin(), own.end(), 1.0F);
  std::iota(received.begin(), received.end(), 100.0F);
  add(own.data(), received.data(), 37);
  CHECK(own[36] == 37.0F + 136.0F);
  add_and_forward(own.data(), received.data(), forward.data(), 37);
  CHECK(own[0] == 201.0F);
  CHECK(forward == own);
  copy_and_forward(own.data(), received.data(), forward.data(), 36);
  CHECK(own[35] == received[35]);
  CHECK(forward[35] == received[35]);
  CHECK(own[36] == 37.0F + 2 * 136.0F);
}

}  // namespace cnnplan
