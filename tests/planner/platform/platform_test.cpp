// Tests how segments, levels and ports are found in a platform.
#include "planner/platform/platform.hpp"

#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("segment_time_s: a message is timed by the first segment that holds it") {
  const std::vector<Segment> segments{{.max_bytes = 100, .alpha_s = 1.0, .beta_s_per_byte = 0.5},
                                      {.max_bytes = 200, .alpha_s = 10.0, .beta_s_per_byte = 2.0}};
  struct Row {
    double bytes;
    double expected_s;
  };
  for (const Row& row :
       std::vector<Row>{{0, 1.0}, {100, 51.0}, {101, 212.0}, {200, 410.0}, {1000, 2010.0}}) {
    CAPTURE(row.bytes);
    CHECK(segment_time_s(segments, row.bytes) == row.expected_s);
    CHECK(segment_of(segments, row.bytes) == segments[row.bytes <= 100 ? 0 : 1]);
  }
  CHECK_THROWS_AS(segment_of({}, 1.0), std::logic_error);
  CHECK_THROWS_AS(segment_time_s({}, 1.0), std::logic_error);
}

TEST_CASE("distance_of_like_places: every rank so far apart is in the same place of all groups") {
  struct Row {
    std::vector<int> ranks_per_group;
    int shared_by;  // ports of the last level
    int ranks;
    std::int64_t expected;
  };
  for (const Row& row : std::vector<Row>{{{4}, 1, 4, 1},
                                         {{8}, 1, 4, 1},
                                         {{4, 16}, 1, 16, 4},
                                         {{4, 16}, 8, 16, 8},
                                         {{2, 6, 12}, 1, 12, 6},
                                         {{4, 6, 24}, 1, 24, 12},
                                         {{4, 16}, 1, 6, 0},
                                         {{4, 16}, 3, 16, 0}}) {
    Platform platform;
    for (int ranks : row.ranks_per_group) platform.levels.push_back({.ranks_per_group = ranks});
    platform.levels.back().shared_by = row.shared_by;
    CAPTURE(row.ranks);
    CAPTURE(row.expected);
    CHECK(distance_of_like_places(platform, row.ranks) == row.expected);
  }
}

TEST_CASE("level_between: the innermost level that holds both ranks") {
  Platform platform;
  platform.levels = {{.name = "socket", .ranks_per_group = 2},
                     {.name = "node", .ranks_per_group = 4},
                     {.name = "cluster", .ranks_per_group = 8}};
  struct Row {
    int rank_a;
    int rank_b;
    const char* level;
  };
  for (const Row& row : std::vector<Row>{{0, 1, "socket"},
                                         {1, 2, "node"},
                                         {7, 6, "socket"},
                                         {3, 4, "cluster"},
                                         {0, 7, "cluster"},
                                         {7, 8, "cluster"}}) {
    CAPTURE(row.rank_a);
    CAPTURE(row.rank_b);
    CHECK(level_between(platform, row.rank_a, row.rank_b).name == row.level);
    const std::size_t index = level_index_between(platform, row.rank_a, row.rank_b);
    CHECK(platform.levels.at(index).name == row.level);
  }
  CHECK_THROWS_AS(level_between(platform, 3, 3), std::logic_error);
  CHECK_THROWS_AS(level_between(Platform{}, 0, 1), std::logic_error);
}

TEST_CASE("port_of: ranks in a row share a link, inside a group of the level below only") {
  Platform platform;
  platform.levels = {{.name = "node", .ranks_per_group = 4, .shared_by = 2},
                     {.name = "cluster", .ranks_per_group = 8, .shared_by = 3}};
  const auto ports = [&](std::size_t level) {
    std::vector<int> all;
    for (int rank = 0; rank < 8; ++rank) all.push_back(port_of(platform, level, rank));
    return all;
  };
  CHECK(ports(0) == std::vector{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(ports(1) == std::vector{0, 0, 0, 1, 2, 2, 2, 3});
  platform.levels[1].shared_by = 9;  // more than a node has
  CHECK(ports(1) == std::vector{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("default_platform: one node of shared memory that nobody measured") {
  const Platform platform = default_platform(6);
  REQUIRE(platform.levels.size() == 1);
  CHECK(platform.levels[0].name == "node");
  CHECK(platform.levels[0].ranks_per_group == 6);
  CHECK(segment_time_s(platform.levels[0].segments, 8e9) == relative(1.0 + 0.5e-6));
  CHECK(platform.copy_s_per_byte == relative(1e-10));
  CHECK(platform.gamma_s_per_byte == relative(1e-10));
  CHECK(platform.memory_bytes == 0);
  CHECK(platform.overlap_efficiency == 0.0);
  CHECK_FALSE(platform.measured);
}

}  // namespace
}  // namespace cnnplan::test
