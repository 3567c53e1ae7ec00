// Numbers the rules and the ranges of every dim, and counts the pieces of each rule in each range.
#include "planner/search/pricing/receive_bounds.hpp"

#include <algorithm>
#include <utility>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// Returns the place of the first value for which `is_equal` holds, and appends `value` if there is
// none.
template <typename Value, typename IsEqual>
std::size_t place_of(std::vector<Value>& values, const Value& value, const IsEqual& is_equal) {
  const auto found = std::find_if(values.begin(), values.end(), is_equal);
  const auto place = static_cast<std::size_t>(found - values.begin());
  if (found == values.end()) values.push_back(value);
  return place;
}

bool is_all(const Coordinates& coordinates, const DimRanges& ranges) {
  return coordinates.begin == 0 && coordinates.end == ranges.rule.parts;
}

}  // namespace

ReceiveBounds::ReceiveBounds(const MessageLowerBound& bound,
                             const std::vector<RankBoxes>& sources,
                             const std::vector<std::vector<Box>>& wanted,
                             const std::vector<int>& ranks)
    : bound_(bound), sources_(sources), wanted_(wanted), ranks_(ranks.size()) {
  for (const RankBoxes& source : sources) {
    Places& rules = rules_.emplace_back();
    for (std::size_t i = 0; i < dim_count; ++i) {
      const DimRanges& ranges = source.ranges(static_cast<Dim>(i));
      rules[i] = place_of(tables_[i].rules, &ranges, [&](const DimRanges* known) {
        return known->table == ranges.table;
      });
    }
    for (const int rank : ranks) positions_.push_back(position_of(source, rank));
  }
  for (const std::vector<Box>& boxes : wanted) {
    for (const Box& box : boxes) {
      Places& ranges = ranges_.emplace_back();
      for (std::size_t i = 0; i < dim_count; ++i) {
        const Range& range = box.ranges[i];
        ranges[i] =
            place_of(tables_[i].ranges, range, [&](const Range& known) { return known == range; });
      }
    }
  }
  for (DimTable& table : tables_) {
    for (const DimRanges* rule : table.rules) {
      for (const Range& range : table.ranges) table.pieces.push_back(pieces_of(*rule, range));
    }
  }
}

ReceiveBounds::Position ReceiveBounds::position_of(const RankBoxes& source, int rank) const {
  const MeshCoordinates at = source.mesh().coordinates(rank);
  Position position{.has_box = at[static_cast<std::size_t>(Axis::l)] == source.stage()};
  for (std::size_t i = 0; i < dim_count; ++i) {
    position.own[i] = source.range(static_cast<Dim>(i), at[i]);
  }
  for (std::size_t level = 1; level < bound_.level_count(); ++level) {
    const auto [first, last] = bound_.group_inside(level, rank, source.rank_count());
    std::array<Coordinates, dim_count>& inside = position.inside.emplace_back();
    for (std::size_t i = 0; i < dim_count; ++i) {
      inside[i] = coordinates_between(source, static_cast<Dim>(i), first, last);
    }
  }
  return position;
}

double ReceiveBounds::receive_s(std::size_t source,
                                std::size_t destination,
                                std::size_t place,
                                std::int64_t element_bytes) const {
  const Places& rules = rules_[source];
  const Places& ranges = ranges_[destination * ranks_ + place];
  const Position& position = positions_[source * ranks_ + place];
  const Box& wanted = wanted_[destination][place];
  std::array<DimPieces, dim_count> pieces;
  std::int64_t own = position.has_box ? 1 : 0;
  for (std::size_t i = 0; i < dim_count; ++i) {
    pieces[i] = tables_[i].pieces[rules[i] * tables_[i].ranges.size() + ranges[i]];
    own *= intersect(position.own[i], wanted.ranges[i]).size();
  }
  return bound_.receive_s(received_pieces(pieces, own), element_bytes, [&](std::size_t level) {
    return most_from(level, source, position, wanted, pieces);
  });
}

// Returns what most_elements_from returns.
std::int64_t ReceiveBounds::most_from(std::size_t level,
                                      std::size_t source,
                                      const Position& position,
                                      const Box& wanted,
                                      const std::array<DimPieces, dim_count>& pieces) const {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < dim_count; ++i) {
    const Coordinates& inside = position.inside[level - 1][i];
    const DimRanges& ranges = sources_[source].ranges(static_cast<Dim>(i));
    const std::int64_t indices = is_all(inside, ranges)
                                     ? pieces[i].indices
                                     : pieces_of(ranges, wanted.ranges[i], inside).indices;
    elements = checked_multiply(elements, indices);
  }
  return elements;
}

}  // namespace cnnplan
