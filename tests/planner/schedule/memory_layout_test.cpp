// Tests of planner/schedule/memory_layout.
#include "planner/schedule/memory_layout.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/rank_memory.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

Buffer buffer(std::int64_t bytes, int first_use, int last_use) {
  return {.role = BufferRole::activation,
          .bytes = bytes,
          .first_use = OperationIndex(first_use),
          .last_use = OperationIndex(last_use)};
}

using Buffers = IndexedVector<BufferIndex, Buffer>;

Schedule placed(Buffers buffers) {
  Schedule schedule{.buffers = std::move(buffers)};
  place_buffers(schedule);
  return schedule;
}

bool uses_arena(const Buffer& buffer) {
  return in_arena(buffer.role) && buffer.first_use >= 0 && buffer.bytes > 0;
}

bool overlap(std::int64_t a_begin, std::int64_t a_end, std::int64_t b_begin, std::int64_t b_end) {
  return a_begin < b_end && b_begin < a_end;
}

// The first two buffers that hold the same bytes at the same time.
std::string first_clash(const Schedule& schedule) {
  for (const Buffer& a : schedule.buffers) {
    for (const Buffer& b : schedule.buffers) {
      if (&a == &b || !uses_arena(a) || !uses_arena(b)) continue;
      const bool at_once = overlap(a.first_use, a.last_use + 1, b.first_use, b.last_use + 1);
      const bool same_bytes = overlap(
          a.offset_bytes, a.offset_bytes + a.bytes, b.offset_bytes, b.offset_bytes + b.bytes);
      if (at_once && same_bytes) return a.name + " and " + b.name;
    }
  }
  return "";
}

std::int64_t rounded(std::int64_t bytes, std::int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// What the arena would take if nothing were shared: every buffer at a multiple of its alignment.
std::int64_t sum_of_buffers(const Schedule& schedule) {
  std::int64_t sum = 0;
  for (const Buffer& buffer : schedule.buffers) {
    if (uses_arena(buffer)) sum += rounded(buffer.bytes, buffer.bytes >= 4096 ? 4096 : 64);
  }
  return sum;
}

// Bytes that live at once: no placement takes less.
std::int64_t most_alive(const Schedule& schedule) {
  std::int64_t most = 0;
  for (const OperationIndex now : schedule.operations.indices()) {
    std::int64_t alive = 0;
    for (const Buffer& buffer : schedule.buffers) {
      const bool lives = buffer.first_use <= now && now <= buffer.last_use;
      if (uses_arena(buffer) && lives) alive += buffer.bytes;
    }
    most = std::max(most, alive);
  }
  return most;
}

// Each after a walk over all that were placed before it.
void place_by_walking(Buffers& buffers) {
  std::vector<Buffer*> order;
  for (Buffer& placing : buffers) {
    if (uses_arena(placing)) order.push_back(&placing);
  }
  std::stable_sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
    return a->bytes > b->bytes;
  });
  std::vector<const Buffer*> by_offset;
  for (Buffer* placing : order) {
    const std::int64_t multiple = placing->bytes >= 4096 ? 4096 : 64;
    for (const Buffer* other : by_offset) {
      if (placing->first_use > other->last_use || other->first_use > placing->last_use) continue;
      if (placing->offset_bytes + placing->bytes <= other->offset_bytes) break;
      placing->offset_bytes =
          std::max(placing->offset_bytes, rounded(other->offset_bytes + other->bytes, multiple));
    }
    by_offset.push_back(placing);
    std::stable_sort(by_offset.begin(), by_offset.end(), [](const Buffer* a, const Buffer* b) {
      return a->offset_bytes < b->offset_bytes;
    });
  }
}

}  // namespace

TEST_CASE("Memory layout: buffers whose lives overlap stand side by side") {
  const Schedule schedule = placed({buffer(128, 0, 2), buffer(64, 2, 3)});
  CHECK(schedule.buffers[BufferIndex(0)].offset_bytes == 0);
  CHECK(schedule.buffers[BufferIndex(1)].offset_bytes == 128);
  CHECK(schedule.arena_bytes == 192);
}

TEST_CASE("Memory layout: buffers whose lives do not meet share memory") {
  const Schedule schedule = placed({buffer(128, 0, 1), buffer(64, 2, 3)});
  CHECK(schedule.buffers[BufferIndex(1)].offset_bytes == 0);
  CHECK(schedule.arena_bytes == 128);
}

TEST_CASE("Memory layout: small buffers start at cache lines, large ones at pages") {
  const Schedule schedule = placed({buffer(5000, 0, 9), buffer(4096, 0, 9), buffer(100, 0, 9)});
  CHECK(schedule.buffers[BufferIndex(0)].offset_bytes == 0);
  CHECK(schedule.buffers[BufferIndex(1)].offset_bytes == 8192);
  CHECK(schedule.buffers[BufferIndex(2)].offset_bytes == 5056);
}

TEST_CASE("Memory layout: what is not used, empty or outside the arena takes no room") {
  Buffer data = buffer(1000, 0, 9);
  data.role = BufferRole::data;
  const Schedule schedule = placed({data, buffer(1000, -1, -1), buffer(0, 0, 9)});
  CHECK(schedule.arena_bytes == 0);
}

TEST_CASE("Memory layout: every buffer in the lowest gap, the largest first") {
  std::mt19937 random(7);
  const auto drawn = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 300; ++round) {
    Buffers buffers;
    for (int i = 0; i < 60; ++i) {
      const int first = drawn(0, 30);
      const int pages = drawn(0, 2) * drawn(0, 3);
      buffers.push_back(
          buffer(4096 * pages + drawn(0, 3) * drawn(1, 500), first, drawn(first, 30)));
    }
    const Schedule schedule = placed(buffers);
    place_by_walking(buffers);
    CAPTURE(round);
    for (const BufferIndex i : buffers.indices()) {
      CHECK(schedule.buffers[i].offset_bytes == buffers[i].offset_bytes);
    }
  }
}

TEST_CASE("Memory layout: an arena beyond 64 bits is refused") {
  const std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2 + 1;
  const Buffers two{buffer(half, 0, 1), buffer(half, 0, 1)};
  CHECK_THROWS_AS(placed(two), InputError);
  Schedule schedule{.buffers = two};
  for (Buffer& large : schedule.buffers) large.role = BufferRole::data;
  CHECK_THROWS_AS(memory_of(schedule), InputError);
}

TEST_CASE("Memory layout: no two buffers of a plan hold the same bytes at the same time") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (int rank : {0, plan.ranks - 1}) {
      const Schedule schedule = lower(plan, rank);
      CHECK(first_clash(schedule) == "");
      CHECK(schedule.arena_bytes >= most_alive(schedule));
      CHECK(schedule.arena_bytes <= most_arena_bytes(schedule));
      CHECK(most_arena_bytes(schedule) == sum_of_buffers(schedule));
      for (const Buffer& buffer : schedule.buffers) {
        CHECK(buffer.offset_bytes % (buffer.bytes >= 4096 ? 4096 : 64) == 0);
        CHECK(buffer.offset_bytes + (uses_arena(buffer) ? buffer.bytes : 0) <=
              schedule.arena_bytes);
      }
    }
  }
}

}  // namespace cnnplan::test
