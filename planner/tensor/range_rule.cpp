// Derives the range of a coordinate from the part that it owns, and searches among ranges.
#include "planner/tensor/range_rule.hpp"

#include <algorithm>
#include <utility>

#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

// Returns the first number below `count` for which `holds` is false, else `count`.
// @pre `holds` is true for all smaller numbers and false for all larger ones
template <typename Predicate>
int first_without(int count, const Predicate& holds) {
  int begin = 0;
  while (begin < count) {
    const int middle = begin + (count - begin) / 2;
    if (holds(middle)) {
      begin = middle + 1;
    } else {
      count = middle;
    }
  }
  return begin;
}

// Returns the groups that have a part of `range`, as a range of another tensor. A group has `from`
// indices in `range` and `to` indices in the other tensor.
Range whole_groups(Range range, std::int64_t from, std::int64_t to) {
  return {range.begin / from * to, (range.end + from - 1) / from * to};
}

}  // namespace

Range RangeRule::owned(int coordinate) const {
  return block_range(length, cut_into(), coordinate % cut_into());
}

Range RangeRule::at(int coordinate) const {
  Range range = owned(coordinate);
  if (together > 1) {
    const int first = coordinate / together * together;
    range = {block_range(input_length, parts, first).begin,
             block_range(input_length, parts, first + together - 1).end};
  }
  if (grouped) range = whole_groups(range, length / groups, input_length / groups);
  if (upsample.factor > 1) range = upsample_block(range, input_length, upsample).input;
  if (windowed) {
    const auto block_of = transposed ? transposed_block : window_block;
    range = block_of(range, input_length, window).input;
  }
  if (!cut) return range;
  // A range outside the section stays on its side of it, so that ranges still ascend.
  return {std::clamp(range.begin, section.begin, section.end) - section.begin,
          std::clamp(range.end, section.begin, section.end) - section.begin};
}

const RangeTable& RangeTables::of(const RangeRule& rule) {
  const auto [entry, is_new] = tables_.try_emplace(rule);
  if (!is_new) return entry->second;
  std::vector<Range> ranges;
  for (int i = 0; i < rule.parts; ++i) ranges.push_back(rule.at(i));
  entry->second = std::make_shared<const std::vector<Range>>(std::move(ranges));
  return entry->second;
}

// The first coordinates own indices. If parts are taken in turn, any coordinate may own some.
int DimRanges::filled() const {
  if (rule.in_turn > 0 || rule.parts <= rule.length) return rule.parts;
  return static_cast<int>(rule.length);
}

Coordinates DimRanges::meeting(Range wanted) const {
  if (!rule.ascends()) return {.begin = 0, .end = filled()};
  return {.begin = first_without(filled(), [&](int i) { return at(i).end <= wanted.begin; }),
          .end = first_without(filled(), [&](int i) { return at(i).begin < wanted.end; })};
}

}  // namespace cnnplan
