// Sums whose roundings would add up, or would lose small terms.
#include "executor/backend/compensated_sum.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("CompensatedSum: a million equal terms") {
  CompensatedSum sum;
  double plain = 0.0;
  for (int i = 0; i < 1'000'000; ++i) {
    sum.add(0.1);
    plain += 0.1;
  }
  CHECK(sum.value() == 1e5);
  CHECK(plain != 1e5);
}

TEST_CASE("CompensatedSum: small terms beside large ones, in any order") {
  for (const bool large_first : {false, true}) {
    CompensatedSum sum;
    sum.add(large_first ? 1e100 : 1.0);
    sum.add(large_first ? 1.0 : 1e100);
    sum.add(-1e100);
    CHECK(sum.value() == 1.0);
  }
}

TEST_CASE("CompensatedSum: what is not finite stays so") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CompensatedSum sum;
  sum.add(1.0);
  sum.add(infinity);
  sum.add(1.0);
  CHECK(sum.value() == infinity);
  sum.add(-infinity);
  CHECK(std::isnan(sum.value()));
}

}  // namespace cnnplan::test
