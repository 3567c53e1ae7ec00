// Says which memory is taken at which times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Names the first and the last operation that a buffer lives through, both inclusive. Times are the
// indices of operations in their schedule.
struct Life {
  int first = 0;
  int last = 0;
};

// Knows which places of an arena are taken during which operations. A place is a page or a cache
// line, as the caller chooses, and places are numbered from 0 on. The object is a segment tree over
// time. In long networks nearly all buffers live at once, but together they take a few ranges only.
class OccupiedMemory {
 public:
  // Begins with all places free. All lives lie in [0, times). @pre times >= 1
  explicit OccupiedMemory(int times);

  // Returns the first of the lowest `count` consecutive places that are free during `life`.
  // @pre count >= 1
  std::int64_t lowest_free(const Life& life, std::int64_t count) const;
  // Takes places, which may be taken already.
  void take(const Life& life, Range places);

 private:
  // Ranges are sorted and have gaps between them.
  using Ranges = std::vector<Range>;
  // Holds the ranges that are taken in a span of time.
  struct Span {
    Ranges always;     // of buffers that live all through it, but not all through its parent
    Ranges sometimes;  // of all buffers that live in it, but not all through its parent
  };
  // Names a span in the tree.
  struct Place {
    std::size_t node = 1;
    int begin = 0;
    int end = 0;
  };

  static void add(Range places, Ranges& ranges);
  void take(const Life& life, Range places, const Place& place);
  void find(const Life& life, const Place& place, std::vector<const Ranges*>& taken) const;

  int times_;
  std::vector<Span> spans_;
};

}  // namespace cnnplan
