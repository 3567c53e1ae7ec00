// Tests that the sums of a thread keep their bound, up to 10^8 terms.
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include "tests/executor/backend/cudnn/sum_bound.hpp"

namespace cnnplan::cudnn {
namespace {

// Adds term(0), term(1), ... and returns the relative error. All terms have the same sign.
template <typename Sum, typename Term>
double error_of(std::int64_t terms, const Term& term) {
  Sum sum;
  double exact = 0.0;
  for (std::int64_t i = 0; i < terms; ++i) {
    const float value = term(i);
    sum.add({value});
    exact += static_cast<double>(value);
  }
  return std::abs(static_cast<double>(sum.value().values[0]) - exact) / exact;
}

}  // namespace

TEST_CASE("BlockedSum: 10^8 terms and fewer keep the bound") {
  using Sum = BlockedSum<float, 1>;
  CHECK(error_of<Sum>(36'000'000, test::one) == 0.0);
  for (std::int64_t terms : {2, 31, 32, 33, 1000, 100'000'000}) {
    CAPTURE(terms);
    CHECK(error_of<Sum>(terms, test::one_and_some) <= test::sum_bound(terms));
  }
  for (std::int64_t terms : {1000, 10'000'000}) {
    CAPTURE(terms);
    CHECK(error_of<Sum>(terms, test::mixed_value) <= test::sum_bound(terms));
  }
}

TEST_CASE("BlockedSum: an infinite term makes the sum infinite") {
  BlockedSum<float, 1> sum;
  for (int i = 0; i < 100; ++i) sum.add({i == 7 ? std::numeric_limits<float>::infinity() : 1.0F});
  CHECK(std::isinf(sum.value().values[0]));
}

TEST_CASE("BlockedSum: every channel has its own sum") {
  BlockedSum<float, 4> sum;
  for (int i = 0; i < 100; ++i) sum.add({1.0F, 2.0F, -3.0F, 0.5F});
  const Vector<float, 4> found = sum.value();
  const float expected[] = {100.0F, 200.0F, -300.0F, 50.0F};
  for (int i = 0; i < 4; ++i) CHECK(found.values[i] == expected[i]);
}

TEST_CASE("with_sum_of: a chain that keeps the bound is a short sum") {
  for (std::int64_t terms : {1, 9, 31, 32, 33, 1000}) {
    CAPTURE(terms);
    with_sum_of<float, 1>(terms, [terms]<typename Sum>(Sum) {
      CHECK(error_of<Sum>(terms, test::one_and_some) <= test::sum_bound(terms));
      CHECK(std::is_same_v<Sum, ShortSum<float, 1>> == (terms <= 32));
    });
  }
}

}  // namespace cnnplan::cudnn
