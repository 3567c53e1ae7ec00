// Keeps ranges of taken memory in a tree of spans of time.
#include "planner/schedule/occupied_memory.hpp"

#include <algorithm>
#include <bit>

namespace cnnplan {
namespace {

// Most spans have at most this many ranges.
constexpr std::size_t usual_ranges = 4;
// A life meets about this many spans, because the tree of a long schedule has 10 levels.
constexpr std::size_t usual_spans = 32;

}  // namespace

OccupiedMemory::OccupiedMemory(int times)
    : times_(times), spans_(2 * std::bit_ceil(static_cast<std::size_t>(times))) {}

// Joins what it touches.
void OccupiedMemory::add(Range places, Ranges& ranges) {
  if (ranges.empty()) {
    ranges.reserve(usual_ranges);
    ranges.push_back(places);
    return;
  }
  const auto first = std::lower_bound(
      ranges.begin(), ranges.end(), places.begin, [](const Range& range, std::int64_t begin) {
        return range.end < begin;
      });
  auto last = first;
  for (; last != ranges.end() && last->begin <= places.end; ++last) {
    places.begin = std::min(places.begin, last->begin);
    places.end = std::max(places.end, last->end);
  }
  if (first == last) {
    ranges.insert(first, places);
    return;
  }
  *first = places;
  ranges.erase(first + 1, last);
}

void OccupiedMemory::take(const Life& life, Range places) {
  take(life, places, {.node = 1, .begin = 0, .end = times_});
}

void OccupiedMemory::take(const Life& life, Range places, const Place& place) {
  const auto [node, begin, end] = place;
  if (life.last < begin || end <= life.first) return;
  add(places, spans_[node].sometimes);
  if (life.first <= begin && end <= life.last + 1) {
    add(places, spans_[node].always);
    return;
  }
  const int middle = begin + (end - begin) / 2;
  take(life, places, {.node = 2 * node, .begin = begin, .end = middle});
  take(life, places, {.node = 2 * node + 1, .begin = middle, .end = end});
}

// Finds the ranges that are taken at some time of `life`.
void OccupiedMemory::find(const Life& life,
                          const Place& place,
                          std::vector<const Ranges*>& taken) const {
  const auto [node, begin, end] = place;
  if (life.last < begin || end <= life.first) return;
  const bool is_inside = life.first <= begin && end <= life.last + 1;
  const Ranges& ranges = is_inside ? spans_[node].sometimes : spans_[node].always;
  if (!ranges.empty()) taken.push_back(&ranges);
  if (is_inside) return;
  const int middle = begin + (end - begin) / 2;
  find(life, {.node = 2 * node, .begin = begin, .end = middle}, taken);
  find(life, {.node = 2 * node + 1, .begin = middle, .end = end}, taken);
}

std::int64_t OccupiedMemory::lowest_free(const Life& life, std::int64_t count) const {
  std::vector<const Ranges*> taken;
  taken.reserve(usual_spans);
  find(life, {.node = 1, .begin = 0, .end = times_}, taken);
  std::int64_t free = 0;
  // Beyond the last of `taken` that was in the way, up to that one again.
  for (std::size_t i = 0, clear = 0; clear < taken.size(); i = (i + 1) % taken.size(), ++clear) {
    const Ranges& ranges = *taken[i];
    auto range = std::lower_bound(
        ranges.begin(), ranges.end(), free, [](const Range& other, std::int64_t begin) {
          return other.end <= begin;
        });
    for (; range != ranges.end() && range->begin < free + count; ++range) {
      free = range->end;
      clear = 0;
    }
  }
  return free;
}

}  // namespace cnnplan
