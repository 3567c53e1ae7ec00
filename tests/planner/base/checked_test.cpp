// Tests integers that refuse to overflow.
#include "planner/base/checked.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

struct Row {
  std::int64_t a;
  std::int64_t b;
  std::int64_t result;
};

TEST_CASE("checked: exact results are returned") {
  for (const Row& row : std::vector<Row>{{0, largest, 0},
                                         {1, largest, largest},
                                         {3037000499, 3037000499, 9223372030926249001},
                                         {-1, largest, -largest}}) {
    CHECK(checked_multiply(row.a, row.b) == row.result);
    CHECK(checked_multiply(row.b, row.a) == row.result);
  }
  CHECK(checked_add(largest - 1, 1) == largest);
  CHECK(checked_add(largest, smallest) == -1);
}

TEST_CASE("checked: results beyond 64 bits are refused with both numbers") {
  for (const Row& row : std::vector<Row>{{2, largest, 0},
                                         {3037000500, 3037000500, 0},
                                         {3000000000, 4000000000, 0},
                                         {-1, smallest, 0}}) {
    const InputProblem problem = problem_of([&] { checked_multiply(row.a, row.b); });
    CHECK(problem.value == std::to_string(row.a) + " * " + std::to_string(row.b));
    CHECK(contains(problem.allowed, "2^63"));
  }
  CHECK(problem_of([] { checked_add(largest, 1); }).value == "9223372036854775807 + 1");
  CHECK_THROWS_AS(checked_add(smallest, -1), InputError);
}

}  // namespace
}  // namespace cnnplan::test
