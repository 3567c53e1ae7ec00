// Greedy placement by size: each buffer goes to the lowest gap that is free during its life.
#include "planner/schedule/memory_layout.hpp"

#include <algorithm>
#include <numeric>

#include "planner/model/checked.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t line_bytes = 64;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return checked_multiply(checked_add(value, multiple - 1) / multiple, multiple);
}

bool lives_overlap(const Buffer& a, const Buffer& b) {
  return a.first_use <= b.last_use && b.first_use <= a.last_use;
}

// Lowest offset where `buffer` fits between the `placed` ones (ordered by offset) that it meets.
std::int64_t lowest_gap(const Buffer& buffer, const std::vector<const Buffer*>& placed) {
  std::int64_t offset = 0;
  for (const Buffer* other : placed) {
    if (!lives_overlap(buffer, *other)) continue;
    if (checked_add(offset, buffer.bytes) <= other->offset_bytes) break;
    const std::int64_t multiple = buffer.bytes >= page_bytes ? page_bytes : line_bytes;
    offset = std::max(offset, round_up(checked_add(other->offset_bytes, other->bytes), multiple));
  }
  return offset;
}

}  // namespace

bool in_arena(BufferRole role) {
  return role == BufferRole::activation || role == BufferRole::error_signal ||
         role == BufferRole::scratch;
}

void place_buffers(Schedule& schedule) {
  std::vector<Buffer*> order;
  for (Buffer& buffer : schedule.buffers) {
    if (in_arena(buffer.role) && buffer.first_use >= 0 && buffer.bytes > 0)
      order.push_back(&buffer);
  }
  std::stable_sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
    return a->bytes > b->bytes;
  });
  std::vector<const Buffer*> placed;
  for (Buffer* buffer : order) {
    buffer->offset_bytes = lowest_gap(*buffer, placed);
    schedule.arena_bytes =
        std::max(schedule.arena_bytes, checked_add(buffer->offset_bytes, buffer->bytes));
    const auto before = std::upper_bound(
        placed.begin(), placed.end(), buffer, [](const Buffer* a, const Buffer* b) {
          return a->offset_bytes < b->offset_bytes;
        });
    placed.insert(before, buffer);
  }
}

}  // namespace cnnplan
