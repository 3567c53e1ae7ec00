// Tests shapes, their volumes, and the bytes of precisions.
#include "planner/tensor/shape.hpp"

#include <doctest/doctest.h>

#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/problem_of.hpp"

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
  struct Row {
    Precision precision;
    const char* name;
    std::int64_t activation;
    std::int64_t parameter;
    bool has_copies;
  };
  for (const Row& row : {Row{Precision::fp32, "fp32", 4, 4, false},
                         Row{Precision::fp64, "fp64", 8, 8, false},
                         Row{Precision::tf32, "tf32", 4, 4, false},
                         Row{Precision::bf16, "bf16", 2, 4, true},
                         Row{Precision::fp16, "fp16", 2, 4, true}}) {
    CHECK(to_text(row.precision) == row.name);
    CHECK(activation_bytes(row.precision) == row.activation);
    CHECK(parameter_bytes(row.precision) == row.parameter);
    CHECK(has_weight_copies(row.precision) == row.has_copies);
  }
}

}  // namespace
}  // namespace cnnplan::test
