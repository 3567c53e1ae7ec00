// Ranges by coordinate, boxes by rank.
#include "planner/tensor/block_ownership.hpp"

#include <algorithm>
#include <utility>

namespace cnnplan {
namespace {

// The axis that splits a dim.
Axis axis_of(std::size_t dim) {
  return static_cast<Axis>(dim);
}

// A few ranks in which different ownerships differ as a rule.
std::array<int, 4> probes(int ranks) {
  return {0, std::min(1, ranks - 1), ranks / 2, ranks - 1};
}

// The first of the numbers below `count` for which `holds` is false; it is true for all before.
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

// The groups of `from` indices that have a part of `range`, of `to` indices each.
Range whole_groups(Range range, std::int64_t from, std::int64_t to) {
  return {range.begin / from * to, (range.end + from - 1) / from * to};
}

template <typename Predicate>
bool all_ranks(int ranks, const Predicate& holds) {
  int rank = 0;
  while (rank < ranks && holds(rank)) ++rank;
  return rank == ranks;
}

}  // namespace

Range BlockOwnership::Rule::owned(int coordinate) const {
  return block_range(length, cut_into(), coordinate % cut_into());
}

Range BlockOwnership::Rule::at(int coordinate) const {
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
  // What lies outside keeps its side, so that ranges still ascend.
  return {std::clamp(range.begin, section.begin, section.end) - section.begin,
          std::clamp(range.end, section.begin, section.end) - section.begin};
}

BlockOwnership::BlockOwnership(const Distribution& distribution)
    : mesh_(distribution.mesh()), stage_(distribution.stage()) {
  for (std::size_t i = 0; i < dim_count; ++i) {
    rules_[i].length = distribution.shape().extents[i];
    rules_[i].parts = mesh_.size(axis_of(i));
  }
}

BlockOwnership BlockOwnership::derived() const {
  BlockOwnership result = *this;
  result.derived_ = true;
  result.tables_ = {};
  return result;
}

BlockOwnership BlockOwnership::under(const Window& window, const Shape& input) const {
  BlockOwnership result = derived();
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    Rule& rule = result.rule(spatial_dims[i]);
    const std::int64_t length = input[spatial_dims[i]];
    if (window.dims[i] == WindowDim{} && rule.length == length) continue;
    rule.windowed = true;
    rule.window = window.dims[i];
    rule.input_length = length;
  }
  return result;
}

BlockOwnership BlockOwnership::over(const Window& window, const Shape& input) const {
  BlockOwnership result = under(window, input);
  for (Dim dim : spatial_dims) result.rule(dim).transposed = result.rule(dim).windowed;
  return result;
}

BlockOwnership BlockOwnership::upsampled(const std::array<UpsampleDim, 3>& dims,
                                         const Shape& input) const {
  BlockOwnership result = derived();
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    if (dims[i].factor == 1) continue;
    Rule& rule = result.rule(spatial_dims[i]);
    rule.upsample = dims[i];
    rule.input_length = input[spatial_dims[i]];
  }
  return result;
}

BlockOwnership BlockOwnership::with_channels(std::int64_t count, std::int64_t groups) const {
  BlockOwnership result = derived();
  Rule& rule = result.rule(Dim::c);
  rule.grouped = true;
  rule.groups = groups;
  rule.input_length = count;
  return result;
}

BlockOwnership BlockOwnership::with_channel_blocks(std::int64_t count, int parts) const {
  BlockOwnership result = derived();
  Rule& rule = result.rule(Dim::c);
  rule.length = count;
  rule.in_turn = parts == rule.parts ? 0 : parts;
  rule.together = 1;
  return result;
}

BlockOwnership BlockOwnership::with_joined_channels(std::int64_t count, int together) const {
  BlockOwnership result = derived();
  Rule& rule = result.rule(Dim::c);
  rule.input_length = count;
  rule.together = together;
  return result;
}

BlockOwnership BlockOwnership::channels(std::int64_t first, std::int64_t count) const {
  BlockOwnership result = derived();
  Rule& rule = result.rule(Dim::c);
  rule.cut = true;
  rule.section = {first, first + count};
  return result;
}

const BlockOwnership::Table& BlockOwnership::Tables::of(const Rule& rule) {
  const auto [entry, is_new] = tables_.try_emplace(rule);
  if (!is_new) return entry->second;
  std::vector<Range> ranges(static_cast<std::size_t>(rule.parts));
  for (int i = 0; i < rule.parts; ++i) ranges[static_cast<std::size_t>(i)] = rule.at(i);
  entry->second = std::make_shared<const std::vector<Range>>(std::move(ranges));
  return entry->second;
}

BlockOwnership BlockOwnership::tabulated(Tables& tables) const {
  BlockOwnership result = *this;
  for (std::size_t dim = 0; dim < dim_count; ++dim) result.tables_[dim] = tables.of(rules_[dim]);
  return result;
}

// Only where there are more parts than indices, some are empty.
bool BlockOwnership::owns_nothing(const MeshCoordinates& coordinates) const {
  for (std::size_t i = 0; i < dim_count; ++i) {
    const Rule& rule = rules_[i];
    if (rule.cut_into() > rule.length &&
        rule.owned(coordinates[static_cast<std::size_t>(axis_of(i))]).size() == 0)
      return true;
  }
  return false;
}

Box BlockOwnership::box(int rank) const {
  const MeshCoordinates coordinates = mesh_.coordinates(rank);
  if (coordinates[static_cast<std::size_t>(Axis::l)] != stage_) return {};
  if (derived_ && owns_nothing(coordinates)) return {};
  Box box;
  for (std::size_t i = 0; i < dim_count; ++i) {
    box.ranges[i] = range(i, coordinates[static_cast<std::size_t>(axis_of(i))]);
    if (rules_[i].cut && box.ranges[i].size() == 0) return {};
  }
  return box;
}

int BlockOwnership::block(int rank) const {
  return Distribution({}, mesh_).block(rank);
}

Coordinates BlockOwnership::meeting(Dim dim, Range wanted) const {
  const int filled = filled_parts(static_cast<std::size_t>(dim));
  if (!rules_[static_cast<std::size_t>(dim)].ascends()) return {.begin = 0, .end = filled};
  return {.begin = first_without(filled, [&](int i) { return range(dim, i).end <= wanted.begin; }),
          .end = first_without(filled, [&](int i) { return range(dim, i).begin < wanted.end; })};
}

// Ranges ascend, or the last coordinate takes the last of the parts that are taken in turn.
Box BlockOwnership::hull() const {
  Box hull;
  for (std::size_t dim = 0; dim < dim_count; ++dim) {
    hull.ranges[dim] = {range(dim, 0).begin, range(dim, filled_parts(dim) - 1).end};
  }
  return hull;
}

// Parts as they are owned leave no empty ones between them.
int BlockOwnership::count_meeting(Dim dim, Range wanted) const {
  const Rule& rule = rules_[static_cast<std::size_t>(dim)];
  if (wanted.size() == 0) return 0;
  const Coordinates found = meeting(dim, wanted);
  if (!rule.windowed && !rule.cut && rule.ascends()) return std::max(0, found.end - found.begin);
  int count = 0;
  for (int i = found.begin; i < found.end; ++i) {
    if (intersect(range(dim, i), wanted).size() > 0) ++count;
  }
  return count;
}

// The first ones; of those that take parts in turn, all.
int BlockOwnership::filled_parts(std::size_t dim) const {
  if (rules_[dim].in_turn > 0) return rules_[dim].parts;
  return static_cast<int>(std::min<std::int64_t>(rules_[dim].parts, rules_[dim].length));
}

bool BlockOwnership::has_empty_parts() const {
  return std::any_of(
      rules_.begin(), rules_.end(), [](const Rule& rule) { return rule.cut_into() > rule.length; });
}

// Where true, both have the same boxes if they have the same ranges in parts that are not empty.
// @pre both on the same mesh
bool BlockOwnership::same_ranks_own(const BlockOwnership& other) const {
  for (std::size_t i = 0; i < dim_count; ++i) {
    if (filled_parts(i) != other.filled_parts(i)) return false;
    if (rules_[i].cut != other.rules_[i].cut) return false;
  }
  const bool neither_has_empty = !has_empty_parts() && !other.has_empty_parts();
  return neither_has_empty || (derived_ && other.derived_);
}

// In parts that are not empty. @pre both on the same mesh
bool BlockOwnership::same_parts(const BlockOwnership& other) const {
  for (std::size_t i = 0; i < dim_count; ++i) {
    if (rules_[i] == other.rules_[i]) continue;
    for (int part = 0; part < filled_parts(i); ++part) {
      if (range(i, part) != other.range(i, part)) return false;
    }
  }
  return true;
}

bool same_boxes(const BlockOwnership& a, const BlockOwnership& b) {
  if (a == b) return true;
  const auto agree = [&](int rank) { return a.box(rank) == b.box(rank); };
  const auto sample = probes(a.rank_count());
  if (!std::all_of(sample.begin(), sample.end(), agree)) return false;
  const bool same_mesh = a.mesh() == b.mesh() && a.stage() == b.stage();
  if (same_mesh && a.same_ranks_own(b)) return a.same_parts(b);
  return all_ranks(a.rank_count(), agree);
}

bool same_blocks(const BlockOwnership& a, const BlockOwnership& b) {
  if (a.mesh() == b.mesh()) return true;
  const auto agree = [&](int rank) { return a.block(rank) == b.block(rank); };
  const auto sample = probes(a.rank_count());
  return std::all_of(sample.begin(), sample.end(), agree) && all_ranks(a.rank_count(), agree);
}

}  // namespace cnnplan
