// Tests parallel_for: every index once, calls inside each other, and exceptions.
#include "planner/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("parallel_for: calls every index once") {
  for (std::size_t count : {0U, 1U, 2U, 3U, 1000U}) {
    std::vector<int> calls(count, 0);
    parallel_for(count, [&](std::size_t i) { ++calls.at(i); });
    CHECK(std::all_of(calls.begin(), calls.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("parallel_for: may be called inside itself") {
  std::vector<std::vector<int>> calls(20, std::vector<int>(20, 0));
  parallel_for(calls.size(), [&](std::size_t i) {
    parallel_for(calls.size(), [&](std::size_t j) { ++calls[i][j]; });
  });
  for (const auto& row : calls) {
    CHECK(std::all_of(row.begin(), row.end(), [](int times) { return times == 1; }));
  }
}

TEST_CASE("parallel_for: throws the exception of the lowest index, and begins no more calls") {
  for (std::size_t bad : {0U, 7U, 99U}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::atomic<int> calls{0};
      const auto run = [&] {
        parallel_for(1000, [&](std::size_t i) {
          ++calls;
          if (i >= bad) throw std::out_of_range(std::to_string(i));
        });
      };
      CHECK_THROWS_WITH_AS(run(), std::to_string(bad).c_str(), std::out_of_range);
      CHECK(calls < 1000);
    }
  }
}

}  // namespace cnnplan::test
