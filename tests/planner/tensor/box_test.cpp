// Tests the algebra of ranges and boxes.
#include "planner/tensor/box.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

// Returns the box [begin, end) in h of a tensor (2, 3, 1, 9, 4), whole in other dims.
Box rows(std::int64_t begin, std::int64_t end) {
  Box box = whole({{2, 3, 1, 9, 4}});
  box[Dim::h] = {begin, end};
  return box;
}

TEST_CASE("Range: half-open, and empty when the end is not above the begin") {
  struct Row {
    Range range;
    std::int64_t size;
  };
  for (const Row& row : std::vector<Row>{{{0, 3}, 3}, {{2, 2}, 0}, {{5, 1}, 0}, {{-2, 1}, 3}}) {
    CHECK(row.range.size() == row.size);
  }
}

TEST_CASE("intersect: ranges") {
  struct Row {
    Range a;
    Range b;
    Range common;
  };
  for (const Row& row : std::vector<Row>{{{0, 5}, {3, 9}, {3, 5}},
                                         {{0, 9}, {3, 4}, {3, 4}},
                                         {{0, 3}, {3, 9}, {}},
                                         {{0, 1}, {7, 9}, {}},
                                         {{4, 4}, {0, 9}, {}}}) {
    CHECK(intersect(row.a, row.b) == row.common);
    CHECK(intersect(row.b, row.a) == row.common);
  }
}

TEST_CASE("intersect: boxes that miss each other in one dim share nothing") {
  CHECK(intersect(rows(0, 5), rows(3, 9)) == rows(3, 5));
  CHECK(intersect(rows(0, 3), rows(3, 9)) == Box{});
  Box other = rows(0, 9);
  other[Dim::c] = {3, 5};
  CHECK(intersect(rows(0, 9), other) == Box{});
}

TEST_CASE("shifted: one dim moves") {
  Box box = rows(2, 5);
  box[Dim::h] = {0, 3};
  CHECK(shifted(rows(2, 5), Dim::h, -2) == box);
  CHECK(shifted(box, Dim::h, 2) == rows(2, 5));
  CHECK(shifted(box, Dim::c, 7)[Dim::h] == box[Dim::h]);
}

TEST_CASE("overlap: where the intersection is not empty") {
  RandomValues random(1);
  const auto random_box = [&random] {
    Box box;
    for (Range& range : box.ranges) {
      range.begin = random.small(0, 2);
      range.end = range.begin + random.small(-1, 6);
    }
    return box;
  };
  int overlapping = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const Box a = random_box();
    const Box b = random_box();
    CHECK(overlap(a, b) == !is_empty(intersect(a, b)));
    overlapping += overlap(a, b) ? 1 : 0;
  }
  CHECK(overlapping > 100);
}

TEST_CASE("contains: an empty box lies in every box") {
  struct Row {
    Box outer;
    Box inner;
    bool expected;
  };
  for (const Row& row : std::vector<Row>{{rows(0, 9), rows(2, 4), true},
                                         {rows(2, 4), rows(2, 4), true},
                                         {rows(2, 4), rows(1, 4), false},
                                         {rows(2, 4), rows(2, 5), false},
                                         {rows(2, 4), rows(7, 7), true},
                                         {Box{}, Box{}, true},
                                         {Box{}, rows(0, 1), false}}) {
    CHECK(contains(row.outer, row.inner) == row.expected);
  }
}

TEST_CASE("Box: shape, volume and text") {
  CHECK(whole({{2, 3, 1, 9, 4}}) == rows(0, 9));
  CHECK(shape_of(rows(2, 5)) == Shape{{2, 3, 1, 3, 4}});
  CHECK(volume(rows(2, 5)) == 2 * 3 * 3 * 4);
  CHECK(volume(rows(5, 5)) == 0);
  CHECK(is_empty(rows(5, 5)));
  CHECK_FALSE(is_empty(rows(5, 6)));
  CHECK(to_text(rows(2, 5)) == "[0,2)x[0,3)x[0,1)x[2,5)x[0,4)");
}

}  // namespace
}  // namespace cnnplan::test
