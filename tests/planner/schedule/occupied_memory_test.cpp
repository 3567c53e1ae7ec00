// Tests the search for the lowest free memory over a span of time, against a table.
#include "planner/schedule/occupied_memory.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

// Marks every place at every time, one by one.
class OccupiedTable {
 public:
  OccupiedTable(int times, int places)
      : places_(places), taken_(static_cast<std::size_t>(times * places), false) {}

  void take(const Life& life, Range range) {
    for (int time = life.first; time <= life.last; ++time) {
      for (std::int64_t place = range.begin; place < range.end; ++place)
        taken_[at(time, place)] = true;
    }
  }
  std::int64_t lowest_free(const Life& life, std::int64_t count) const {
    for (std::int64_t begin = 0;; ++begin) {
      if (is_free(life, {begin, begin + count})) return begin;
    }
  }

 private:
  std::size_t at(int time, std::int64_t place) const {
    return static_cast<std::size_t>(time * places_ + place);
  }
  bool is_free(const Life& life, Range range) const {
    for (int time = life.first; time <= life.last; ++time) {
      for (std::int64_t place = range.begin; place < std::min(range.end, places_); ++place) {
        if (taken_[at(time, place)]) return false;
      }
    }
    return true;
  }

  std::int64_t places_;
  std::vector<bool> taken_;
};

int drawn(std::mt19937& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

Life drawn_life(std::mt19937& random, int times) {
  const int first = drawn(random, 0, times - 1);
  return {.first = first, .last = drawn(random, first, times - 1)};
}

}  // namespace

TEST_CASE("Occupied memory: buffers that live at another time are ignored") {
  OccupiedMemory memory(4);
  memory.take({.first = 0, .last = 1}, {0, 5});
  CHECK(memory.lowest_free({.first = 2, .last = 3}, 1) == 0);
  CHECK(memory.lowest_free({.first = 1, .last = 3}, 1) == 5);
}

TEST_CASE("Occupied memory: the lowest gap that is wide enough") {
  OccupiedMemory memory(1);
  const Life all{.first = 0, .last = 0};
  memory.take(all, {2, 4});
  memory.take(all, {7, 9});
  CHECK(memory.lowest_free(all, 2) == 0);
  CHECK(memory.lowest_free(all, 3) == 4);
  CHECK(memory.lowest_free(all, 4) == 9);
}

TEST_CASE("Occupied memory: equals a table of all places and times") {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const int times = 1 + round % 37;
    OccupiedMemory memory(times);
    OccupiedTable table(times, 400);
    CAPTURE(round);
    for (int step = 0; step < 40; ++step) {
      const Life life = drawn_life(random, times);
      const std::int64_t count = drawn(random, 1, 6);
      const std::int64_t begin = memory.lowest_free(life, count);
      REQUIRE(begin == table.lowest_free(life, count));
      // Also takes memory that is already taken, and memory after a gap.
      const std::int64_t taken = step % 4 == 0 ? drawn(random, 0, 60) : begin;
      memory.take(life, {taken, taken + count});
      table.take(life, {taken, taken + count});
    }
  }
}

}  // namespace cnnplan::test
