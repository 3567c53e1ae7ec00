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

// Where a buffer lies and how long it lives there.
struct Place {
  std::int64_t begin_bytes = 0;
  std::int64_t end_bytes = 0;
  OperationIndex first_use = -1;
  OperationIndex last_use = -1;
};

// Lowest offset where `buffer` fits between the `placed` ones (ordered by offset) that it meets.
std::int64_t lowest_gap(const Buffer& buffer, const std::vector<Place>& placed) {
  const std::int64_t multiple = buffer.bytes >= page_bytes ? page_bytes : line_bytes;
  std::int64_t offset = 0;
  for (const Place& other : placed) {
    const bool meet = buffer.first_use <= other.last_use && other.first_use <= buffer.last_use;
    if (!meet) continue;
    if (checked_add(offset, buffer.bytes) <= other.begin_bytes) break;
    offset = std::max(offset, round_up(other.end_bytes, multiple));
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
  std::vector<Place> placed;
  placed.reserve(order.size());
  for (Buffer* buffer : order) {
    buffer->offset_bytes = lowest_gap(*buffer, placed);
    const Place place{.begin_bytes = buffer->offset_bytes,
                      .end_bytes = checked_add(buffer->offset_bytes, buffer->bytes),
                      .first_use = buffer->first_use,
                      .last_use = buffer->last_use};
    schedule.arena_bytes = std::max(schedule.arena_bytes, place.end_bytes);
    const auto before =
        std::upper_bound(placed.begin(), placed.end(), place, [](const Place& a, const Place& b) {
          return a.begin_bytes < b.begin_bytes;
        });
    placed.insert(before, place);
  }
}

}  // namespace cnnplan
