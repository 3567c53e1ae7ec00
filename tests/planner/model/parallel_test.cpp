// Tests of planner/model/parallel.
#include "planner/model/parallel.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("parallel_for: every index once") {
  for (std::size_t count : {0U, 1U, 2U, 3U, 1000U}) {
    std::vector<int> calls(count, 0);
    parallel_for(count, [&](std::size_t i) { ++calls.at(i); });
    CHECK(std::all_of(calls.begin(), calls.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("parallel_for: inside itself") {
  std::vector<std::vector<int>> calls(20, std::vector<int>(20, 0));
  parallel_for(calls.size(), [&](std::size_t i) {
    parallel_for(calls.size(), [&](std::size_t j) { ++calls[i][j]; });
  });
  for (const auto& row : calls) {
    CHECK(std::all_of(row.begin(), row.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("parallel_for: throws what a call threw, whichever") {
  for (std::size_t bad : {0U, 7U, 99U}) {
    CHECK_THROWS_AS(parallel_for(100,
                                 [bad](std::size_t i) {
                                   if (i == bad) throw std::out_of_range("this one");
                                 }),
                    std::out_of_range);
  }
}

}  // namespace cnnplan::test
