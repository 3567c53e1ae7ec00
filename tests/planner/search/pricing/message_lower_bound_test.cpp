// Compares the lower bound of messages with their exact time.
#include "planner/search/pricing/message_lower_bound.hpp"

#include <limits>

#include <doctest/doctest.h>

#include "planner/cost/links.hpp"
#include "planner/search/pricing/probe_ranks.hpp"
#include "planner/search/pricing/receive_bounds.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t any_bytes = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t element_bytes = 4;

// Four ranks that share one link.
Platform one_port() {
  Platform platform = default_platform(4);
  platform.levels[0].shared_by = 4;
  return platform;
}

Box floats(std::int64_t count) {
  Box box;
  for (Range& range : box.ranges) range = {0, 1};
  box[Dim::w] = {0, count};
  return box;
}

// Returns a level of two segments whose figures are in any order. Exchanges may be measured, and
// may seem faster than messages.
Level random_level(RandomValues& random, int ranks) {
  const auto segment = [&](std::int64_t max_bytes) {
    return Segment{.max_bytes = max_bytes,
                   .alpha_s = 1e-5 * random.fraction(),
                   .beta_s_per_byte = 1e-8 * (0.1 + random.fraction())};
  };
  const auto two_segments = [&] {
    return std::vector<Segment>{segment(random.integer(1, 2000)), segment(any_bytes)};
  };
  Level level{.name = "level",
              .ranks_per_group = ranks,
              .segments = two_segments(),
              .duplex_factor = 1.0 + random.fraction(),
              .shared_by = random.small(1, 2),
              .gap_s = 1e-6 * random.fraction()};
  if (random.boolean()) level.exchange_segments = two_segments();
  return level;
}

// Returns a platform of up to three levels, of which the last one may hold more ranks than `ranks`.
Platform random_platform(RandomValues& random, int ranks) {
  Platform platform = default_platform(ranks);
  platform.levels.clear();
  int inside = 1;
  for (int level = random.small(0, 2); level > 0; --level) {
    inside *= random.small(1, 4);
    platform.levels.push_back(random_level(random, inside));
  }
  platform.levels.push_back(random_level(random, inside * ((ranks + inside - 1) / inside)));
  return platform;
}

Mesh random_mesh(RandomValues& random, int ranks) {
  std::vector<MeshAxis> axes;
  for (const Axis axis : {Axis::n, Axis::c, Axis::h, Axis::w, Axis::r}) {
    const auto place = random.small(0, static_cast<int>(axes.size()));
    axes.insert(axes.begin() + place, {axis, 1});
  }
  for (; ranks > 1; ranks /= 2) axes[static_cast<std::size_t>(random.small(0, 4))].size *= 2;
  return Mesh(axes);
}

// Returns blocks that overlap in the channels or in halos, or do not overlap.
RankBoxes random_blocks(RandomValues& random, const Shape& shape, int ranks) {
  RankBoxes owned(Distribution(shape, random_mesh(random, ranks)));
  switch (random.small(0, 2)) {
    case 0:
      return owned;
    case 1:
      return owned.with_channels(shape[Dim::c], 1);
    default: {
      const WindowDim three{.kernel = 3, .padding_begin = 1, .padding_end = 1};
      return owned.under({{WindowDim{}, three, three}}, shape);
    }
  }
}

}  // namespace

TEST_CASE(
    "MessageLowerBound: no less than a message takes that has its port for itself, and no more") {
  const Platform platform = one_port();
  const TransferList list{.sends = {}, .receives = {{.peer = 1, .box = floats(1000)}}};
  const ListOf nobody = [](int) { return TransferList{}; };
  const double alone_s =
      transfer_time(platform, list, 0, {.destination_box = floats(1000)}, nobody).link_s;
  const MessageLowerBound bound(platform, 4);
  CHECK(bound.seconds(0, {.messages = 1, .bytes = 4000.0, .longest_bytes = 4000.0}) ==
        relative(alone_s, 1e-12));
  CHECK(bound.seconds(0, {}) == 0.0);
}

TEST_CASE("MessageLowerBound: no transfer takes less, on any platform") {
  double most = 0.0;  // the largest part of an exact time that a bound reached
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const int ranks = 1 << random.small(0, 5);
    const Platform platform = random_platform(random, ranks);
    const Shape shape{{random.integer(1, 16), random.integer(1, 16), 1, 8, random.integer(4, 8)}};
    const RankBoxes sources = random_blocks(random, shape, ranks);
    const RankBoxes destinations = random_blocks(random, shape, ranks);
    const MessageLowerBound bound(platform, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      const TransferList list = transfer_list(sources, destinations, rank);
      const double exact_s = transfer_time(platform,
                                           list,
                                           rank,
                                           {.element_bytes = element_bytes},
                                           lists_of(sources, destinations))
                                 .link_s;
      const double least_s = bound.receive_s(sources, destinations, rank, element_bytes);
      CHECK(least_s <= exact_s * (1 + 1e-12));
      if (exact_s > 0.0) most = std::max(most, least_s / exact_s);
    }
  }
  CHECK(most > 0.999);
}

TEST_CASE("ReceiveBounds: the bound of every source, destination and rank, on any platform") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const int count = 1 << random.small(0, 5);
    const Shape shape{{random.integer(1, 16), random.integer(1, 16), 1, 8, random.integer(4, 8)}};
    RankBoxes::Tables tables;
    std::vector<RankBoxes> sources;
    std::vector<RankBoxes> destinations;
    std::vector<std::vector<Box>> wanted;
    const std::vector<int> ranks = probe_ranks(count);
    for (int i = 0; i < 5; ++i) {
      sources.push_back(random_blocks(random, shape, count).tabulated(tables));
      destinations.push_back(random_blocks(random, shape, count));
      wanted.emplace_back();
      for (const int rank : ranks) wanted.back().push_back(destinations.back().box(rank));
    }
    const MessageLowerBound bound(random_platform(random, count), count);
    const ReceiveBounds bounds(bound, sources, wanted, ranks);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t j = 0; j < destinations.size(); ++j) {
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
          CHECK(bounds.receive_s(i, j, rank, element_bytes) ==
                bound.receive_s(sources[i], destinations[j], ranks[rank], element_bytes));
        }
      }
    }
  }
}

TEST_CASE("MessageLowerBound: sums from all ranks of other nodes go over the links between nodes") {
  const Segment inside{.max_bytes = any_bytes, .alpha_s = 1e-6, .beta_s_per_byte = 1e-11};
  const Segment between{.max_bytes = any_bytes, .alpha_s = 2e-6, .beta_s_per_byte = 1e-9};
  Platform platform = default_platform(8);
  platform.levels = {{.name = "node", .ranks_per_group = 4, .segments = {inside}},
                     {.name = "cluster", .ranks_per_group = 8, .segments = {between}}};
  const Shape shape{{1, 64, 1, 8, 8}};
  const RankBoxes sums(Distribution(shape, parse_mesh("c8")));
  const RankBoxes parts = sums.with_channels(shape[Dim::c], 1);
  const double part_bytes = 4.0 * static_cast<double>(volume(sums.box(0)));
  const MessageLowerBound bound(platform, 8);
  CHECK(bound.receive_s(parts, sums, 0, element_bytes) == relative(2e-6 + 4 * part_bytes * 1e-9));
  CHECK(MessageLowerBound(platform, 4).seconds(0, {1, part_bytes, part_bytes}) ==
        relative(1e-6 + part_bytes * 1e-11));
}

}  // namespace cnnplan::test
