// Tests the blocks that ranks get, with replicas and remainders.
#include "planner/tensor/distribution.hpp"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

TEST_CASE("block_range: larger blocks come first") {
  struct Row {
    std::int64_t length;
    int count;
    int index;
    Range expected;
  };
  for (const Row& row : std::vector<Row>{{10, 1, 0, {0, 10}},
                                         {10, 4, 0, {0, 3}},
                                         {10, 4, 1, {3, 6}},
                                         {10, 4, 2, {6, 8}},
                                         {10, 4, 3, {8, 10}},
                                         {2, 4, 1, {1, 2}},
                                         {2, 4, 2, {2, 2}},
                                         {2, 4, 3, {2, 2}},
                                         {0, 2, 0, {0, 0}}}) {
    CAPTURE(row.index);
    CHECK(block_range(row.length, row.count, row.index) == row.expected);
  }
}

TEST_CASE("Distribution: the box of each rank") {
  struct Row {
    const char* mesh;
    int rank;
    Range n;
    Range h;
    Range w;
  };
  const Shape shape{{4, 8, 1, 7, 5}};
  for (const Row& row : std::vector<Row>{{"1", 0, {0, 4}, {0, 7}, {0, 5}},
                                         {"n2h2", 0, {0, 2}, {0, 4}, {0, 5}},
                                         {"n2h2", 1, {0, 2}, {4, 7}, {0, 5}},
                                         {"n2h2", 2, {2, 4}, {0, 4}, {0, 5}},
                                         {"h2n2", 2, {0, 2}, {4, 7}, {0, 5}},
                                         {"h4w2", 5, {0, 4}, {4, 6}, {3, 5}},
                                         {"r2h2", 3, {0, 4}, {4, 7}, {0, 5}},
                                         {"n6", 5, {4, 4}, {0, 7}, {0, 5}}}) {
    CAPTURE(std::string(row.mesh));
    CAPTURE(row.rank);
    const Box box = Distribution(shape, parse_mesh(row.mesh)).box(row.rank);
    CHECK(box[Dim::n] == row.n);
    CHECK(box[Dim::c] == Range{0, 8});
    CHECK(box[Dim::h] == row.h);
    CHECK(box[Dim::w] == row.w);
  }
}

TEST_CASE("Distribution: blocks cover the tensor once per replica") {
  const Shape shape{{3, 5, 2, 7, 4}};
  for (const char* mesh : {"1", "n3", "n2h3", "w5r2", "r3c2h2", "n2c2d2h2w2", "h9", "d4r2n2"}) {
    CAPTURE(std::string(mesh));
    const Distribution distribution(shape, parse_mesh(mesh));
    std::map<int, std::vector<Box>> boxes_by_block;
    std::int64_t owned = 0;
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      const Box box = distribution.box(rank);
      owned += volume(box);
      boxes_by_block[distribution.block(rank)].push_back(box);
    }
    CHECK(owned == volume(shape) * distribution.replica_count());
    CHECK(static_cast<int>(boxes_by_block.size()) == distribution.block_count());
    CHECK(boxes_by_block.rbegin()->first == distribution.block_count() - 1);
    for (const auto& [block, boxes] : boxes_by_block) {
      CHECK(boxes == std::vector<Box>(boxes.size(), boxes.front()));
      CHECK(static_cast<int>(boxes.size()) == distribution.replica_count());
    }
  }
}

TEST_CASE("Distribution: blocks do not overlap") {
  const Distribution distribution({{3, 5, 2, 7, 4}}, parse_mesh("n2h3w2"));
  for (int a = 0; a < distribution.rank_count(); ++a) {
    for (int b = 0; b < a; ++b) {
      CHECK(is_empty(intersect(distribution.box(a), distribution.box(b))));
    }
  }
}

TEST_CASE("Distribution: replicas differ along r only") {
  struct Row {
    int rank;
    int block;
    int replica;
  };
  const Distribution distribution({{1, 1, 1, 8, 8}}, parse_mesh("h2r3w2"));
  for (const Row& row : std::vector<Row>{
           {0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {5, 1, 2}, {6, 2, 0}, {9, 3, 1}, {11, 3, 2}}) {
    CAPTURE(row.rank);
    CHECK(distribution.block(row.rank) == row.block);
    CHECK(distribution.replica(row.rank) == row.replica);
  }
}

}  // namespace
}  // namespace cnnplan::test
