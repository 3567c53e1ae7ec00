// Tests of planner/report/kendall.
#include "planner/report/kendall.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

using Figures = std::vector<double>;

}  // namespace

TEST_CASE("kendall_tau: same, reversed and mixed order") {
  CHECK(kendall_tau(Figures{1, 2, 3, 4}, Figures{10, 20, 30, 40}) == relative(1));
  CHECK(kendall_tau(Figures{1, 2, 3, 4}, Figures{4, 3, 2, 1}) == relative(-1));
  // One of six pairs the other way round.
  CHECK(kendall_tau(Figures{1, 2, 3, 4}, Figures{1, 2, 4, 3}) == relative(4.0 / 6));
}

TEST_CASE("kendall_tau: ties count as tau-b") {
  // Five pairs ordered by the first list, six by the second, all five alike.
  CHECK(kendall_tau(Figures{1, 2, 2, 3}, Figures{1, 2, 3, 4}) == relative(5 / std::sqrt(30.0)));
  CHECK(kendall_tau(Figures{1, 1}, Figures{1, 2}) == 0.0);
  CHECK(kendall_tau(Figures{}, Figures{}) == 0.0);
}

TEST_CASE("kendall_tau: lists of different lengths are refused") {
  CHECK_THROWS_AS(kendall_tau(Figures{1}, Figures{1, 2}), std::logic_error);
}

TEST_CASE("misranked_pairs: only pairs that differ by more than the tolerance") {
  const Figures measured{1.00, 1.04, 1.20};
  CHECK(misranked_pairs(Figures{1, 2, 3}, measured, 0.05) == 0);
  CHECK(misranked_pairs(Figures{2, 1, 3}, measured, 0.05) == 0);
  CHECK(misranked_pairs(Figures{2, 1, 3}, measured, 0.01) == 1);
  CHECK(misranked_pairs(Figures{3, 2, 1}, measured, 0.05) == 2);
  CHECK(misranked_pairs(Figures{1, 1, 1}, measured, 0.05) == 2);
}

}  // namespace cnnplan
