// Tests groups of ranks against all ranks of a mesh, one by one.
#include "planner/tensor/rank_group.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

constexpr Axis all_axes[] = {Axis::n, Axis::c, Axis::d, Axis::h, Axis::w, Axis::r};

Mesh random_mesh(RandomValues& random) {
  std::vector<MeshAxis> axes;
  for (Axis axis : all_axes) {
    const auto place = random.small(0, static_cast<int>(axes.size()));
    axes.insert(axes.begin() + place, {axis, random.small(1, 3)});
  }
  return Mesh(axes);
}

std::vector<int> ranks_that_agree(const Mesh& mesh, int rank, const std::vector<Axis>& fixed) {
  std::vector<int> ranks;
  for (int other = 0; other < mesh.rank_count(); ++other) {
    const bool agrees = std::all_of(fixed.begin(), fixed.end(), [&](Axis axis) {
      return mesh.coordinate(other, axis) == mesh.coordinate(rank, axis);
    });
    if (agrees) ranks.push_back(other);
  }
  return ranks;
}

}  // namespace

TEST_CASE("RankGroup: the ranks that agree along some axes, ascending") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const Mesh mesh = random_mesh(random);
    std::vector<Axis> fixed;
    for (Axis axis : all_axes) {
      if (random.small(0, 1) == 1) fixed.push_back(axis);
    }
    const int rank = random.small(0, mesh.rank_count() - 1);
    const RankGroup group(mesh, rank, fixed);
    const std::vector<int> expected = ranks_that_agree(mesh, rank, fixed);
    REQUIRE(group.ranks() == expected);
    CHECK(group.size() == static_cast<int>(expected.size()));
    CHECK(group.front() == expected.front());
    CHECK(group.back() == expected.back());
    for (int position = 0; position < group.size(); ++position) {
      CHECK(group.position_of(group[position]) == position);
    }
  }
}

TEST_CASE("RankGroup: equal ranks make equal groups, whichever axes they come from") {
  CHECK(RankGroup(Mesh({{Axis::n, 2}, {Axis::h, 4}}), 3, {}) == RankGroup(0, 8));
  CHECK(RankGroup(Mesh({{Axis::n, 2}, {Axis::h, 4}}), 5, {Axis::n}) == RankGroup(4, 4));
  CHECK(RankGroup(Mesh({{Axis::n, 2}, {Axis::r, 4}}), 5, {Axis::r}) == RankGroup(1, 2, 4));
  CHECK(RankGroup(7, 1) == RankGroup(7, 1, 5));
  CHECK(RankGroup(0, 4) != RankGroup(0, 4, 2));
  CHECK(RankGroup().size() == 0);
}

TEST_CASE("RankGroup: a million ranks take no memory") {
  const RankGroup group(Mesh({{Axis::n, 1024}, {Axis::h, 32}, {Axis::w, 32}}), 17, {Axis::w});
  CHECK(group.size() == 1024 * 32);
  CHECK(group[1] == 17 + 32);
  CHECK(group.position_of(group.back()) == group.size() - 1);
}

TEST_CASE("RankGroup: around each rank of a mesh is the group of that rank") {
  for (const char* text : {"n4c4", "c2n3h2", "n2c3h2w2", "r3n4", "n6"}) {
    const Mesh mesh = parse_mesh(text);
    for (const std::vector<Axis>& fixed : {std::vector{Axis::c, Axis::r}, {Axis::n}, {Axis::h}}) {
      const RankGroup first(mesh, 0, fixed);
      for (int rank = 0; rank < mesh.rank_count(); ++rank) {
        CAPTURE(text);
        CAPTURE(rank);
        CHECK(first.around(rank) == RankGroup(mesh, rank, fixed));
        CHECK(RankGroup(mesh, mesh.rank_count() - 1, fixed).around(rank) ==
              RankGroup(mesh, rank, fixed));
      }
    }
  }
  CHECK(RankGroup(2, 3, 2).around(7) == RankGroup(3, 3, 2));
}

}  // namespace cnnplan::test
