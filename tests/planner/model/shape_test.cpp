// Sizes of shapes.
#include "planner/model/shape.hpp"

#include <doctest/doctest.h>

#include "planner/model/enumerators.hpp"
#include "tests/planner/model/problem_of.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("Shape: volume counts elements and refuses to overflow") {
  CHECK(volume(Shape{}) == 1);
  CHECK(volume(Shape{{4, 64, 1, 56, 56}}) == 802816);
  CHECK(volume(Shape{{4, 0, 1, 56, 56}}) == 0);
  const Shape large{{std::int64_t{1} << 31, std::int64_t{1} << 31, 1, 1, 2}};
  CHECK(contains(problem_of([&] { volume(large); }).allowed, "2^63"));
}

TEST_CASE("Shape: is indexed by dim") {
  Shape shape{{1, 2, 3, 4, 5}};
  CHECK(shape[Dim::c] == 2);
  shape[Dim::w] = 7;
  CHECK(to_text(shape) == "1x2x3x4x7");
}

TEST_CASE("Precision: bytes and names") {
  CHECK(bytes_per_element(Precision::fp32) == 4);
  CHECK(bytes_per_element(Precision::fp64) == 8);
  CHECK(to_text(Precision::fp32) == "fp32");
  CHECK(to_text(Precision::fp64) == "fp64");
}

}  // namespace
}  // namespace cnnplan::test
