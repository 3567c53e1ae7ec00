// Places buffers greedily by size: each buffer goes to the lowest gap that is free during its life.
// Large buffers come first. While they are placed, only whole pages are taken.
#include "planner/schedule/memory_layout.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "planner/base/checked.hpp"
#include "planner/base/memory_units.hpp"
#include "planner/schedule/occupied_memory.hpp"
#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t page = page_bytes;
constexpr std::int64_t line = cache_line_bytes;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return checked_multiply(checked_add(value, multiple - 1) / multiple, multiple);
}

// Returns the number of operations up to the last use of any buffer.
int times_of(const std::vector<Buffer*>& buffers) {
  OperationIndex last(0);
  for (const Buffer* buffer : buffers) last = std::max(last, buffer->last_use);
  return last + 1;
}

Life life_of(const Buffer& buffer) {
  return {.first = buffer.first_use, .last = buffer.last_use};
}

// Returns the places, of `multiple` bytes each, that a placed buffer overlaps.
Range places_of(const Buffer& buffer, std::int64_t multiple) {
  const std::int64_t end_bytes = checked_add(buffer.offset_bytes, buffer.bytes);
  return {buffer.offset_bytes / multiple, round_up(end_bytes, multiple) / multiple};
}

// Gives the buffers their offsets, one after the other, at multiples of `multiple` bytes.
void place(std::span<Buffer* const> buffers, std::int64_t multiple, OccupiedMemory& memory) {
  for (Buffer* buffer : buffers) {
    const std::int64_t count = round_up(buffer->bytes, multiple) / multiple;
    const Life life = life_of(*buffer);
    buffer->offset_bytes = checked_multiply(memory.lowest_free(life, count), multiple);
    memory.take(life, places_of(*buffer, multiple));
  }
}

// Marks the memory of buffers that are already placed as taken, beginning with the lowest offset.
void take(std::vector<Buffer*> buffers, std::int64_t multiple, OccupiedMemory& memory) {
  std::sort(buffers.begin(), buffers.end(), [](const Buffer* a, const Buffer* b) {
    return a->offset_bytes < b->offset_bytes;
  });
  for (const Buffer* buffer : buffers) memory.take(life_of(*buffer), places_of(*buffer, multiple));
}

bool has_place(const Buffer& buffer) {
  return in_arena(buffer.role) && buffer.first_use >= 0 && buffer.bytes > 0;
}

}  // namespace

void place_buffers(Schedule& schedule) {
  std::vector<Buffer*> order;
  for (Buffer& buffer : schedule.buffers) {
    if (has_place(buffer)) order.push_back(&buffer);
  }
  std::stable_sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
    return a->bytes > b->bytes;
  });
  const auto first_small = std::find_if(
      order.begin(), order.end(), [](const Buffer* buffer) { return buffer->bytes < page; });
  const int times = times_of(order);
  const std::vector<Buffer*> large(order.begin(), first_small);
  OccupiedMemory pages(times);
  place(large, page, pages);
  if (first_small != order.end()) {
    OccupiedMemory lines(times);
    take(large, line, lines);
    place(std::span(order).subspan(large.size()), line, lines);
  }
  schedule.arena_bytes = 0;
  for (const Buffer* buffer : order) {
    schedule.arena_bytes =
        std::max(schedule.arena_bytes, checked_add(buffer->offset_bytes, buffer->bytes));
  }
}

std::int64_t most_arena_bytes(const Schedule& schedule) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : schedule.buffers) {
    if (!has_place(buffer)) continue;
    const std::int64_t multiple = buffer.bytes < page ? line : page;
    bytes = checked_add(bytes, round_up(buffer.bytes, multiple));
  }
  return bytes;
}

}  // namespace cnnplan
