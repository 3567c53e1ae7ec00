// Which memory is taken at which times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Operations that a buffer lives through, both included.
struct Life {
  int first = 0;
  int last = 0;
};

// Places are numbered from 0 on. A segment tree over time: in long networks nearly all buffers live
// at once, but what they take together is a few ranges.
class OccupiedMemory {
 public:
  // For lives within [0, times). @pre times >= 1
  explicit OccupiedMemory(int times);

  // The first of the lowest `count` places in a row that nobody has during `life`. @pre count >= 1
  std::int64_t lowest_free(const Life& life, std::int64_t count) const;
  // `places` may be taken already.
  void take(const Life& life, Range places);

 private:
  // Ascending, with gaps between them.
  using Ranges = std::vector<Range>;
  // A span of time.
  struct Span {
    Ranges always;     // taken by those who live all through it, but not all through its parent
    Ranges sometimes;  // by all who live in it, but not all through its parent
  };
  // Of a span in the tree.
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
