// Combines the ranges of all dims into boxes, and compares the boxes of all ranks.
#include "planner/tensor/rank_boxes.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "planner/tensor/equal_nodes.hpp"

namespace cnnplan {
namespace {

using AllDims = std::array<DimRanges, dim_count>;

// The axes n, c, d, h and w have the numbers of the dims that they split.
Axis axis_of(std::size_t dim) {
  return static_cast<Axis>(dim);
}

// Returns a few ranks in which unequal boxes usually differ.
std::array<int, 4> probes(int ranks) {
  return {0, std::min(1, ranks - 1), ranks / 2, ranks - 1};
}

template <typename Predicate>
bool all_ranks(int ranks, const Predicate& holds) {
  int rank = 0;
  while (rank < ranks && holds(rank)) ++rank;
  return rank == ranks;
}

bool has_empty_parts(const AllDims& dims) {
  return std::any_of(dims.begin(), dims.end(), [](const DimRanges& dim) {
    return dim.rule.cut_into() > dim.rule.length;
  });
}

// Says whether the number of parts with indices, and the cut to a section, agree in all dims.
// @pre both on one mesh
bool same_filled_parts(const AllDims& a, const AllDims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const DimRanges& x, const DimRanges& y) {
    return x.filled() == y.filled() && x.rule.cut == y.rule.cut;
  });
}

// Compares the ranges of parts with indices. @pre same_filled_parts(a, b)
bool same_parts(const AllDims& a, const AllDims& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const DimRanges& x, const DimRanges& y) {
    return x == y || all_ranks(x.filled(), [&](int part) { return x.at(part) == y.at(part); });
  });
}

// True where all coordinates along the axis have one range, which begins with index 0.
bool is_whole_along(const RankBoxes& boxes, Axis axis) {
  if (axis == Axis::r) return true;
  if (axis == Axis::l) return false;
  const DimRanges& dim = boxes.ranges(static_cast<Dim>(axis));
  const Range first = dim.at(0);
  return first.begin == 0 && all_ranks(dim.rule.parts, [&](int i) { return dim.at(i) == first; });
}

// True where ranges of different coordinates along the axis share no index.
bool is_disjoint_along(const RankBoxes& boxes, Axis axis) {
  if (axis == Axis::l) return false;
  const DimRanges& dim = boxes.ranges(static_cast<Dim>(axis));
  return all_ranks(dim.rule.parts - 1, [&](int i) { return dim.at(i).end <= dim.at(i + 1).begin; });
}

// Returns the axes of the mesh whose ranks are nodes, if the ranks of each node have one box. Nodes
// with equal boxes differ along r. The axes that vary fastest lie within the nodes. One axis may
// lie within nodes and between them.
std::optional<std::vector<MeshAxis>> axes_of_nodes(const RankBoxes& boxes, int ranks_per_node) {
  std::vector<MeshAxis> outer;  // the last one varies fastest
  int inside = ranks_per_node;  // ranks of a node along the axes that are left
  const std::span<const MeshAxis> axes = boxes.mesh().axes();
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const bool is_whole = is_whole_along(boxes, axis->axis);
    const int in_node = std::min(inside, axis->size);
    if (in_node > 1 && (!is_whole || inside % in_node != 0 || axis->size % in_node != 0)) return {};
    inside /= in_node;
    const int between = axis->size / in_node;
    if (between == 1) continue;
    if (!is_whole && !is_disjoint_along(boxes, axis->axis)) return {};
    const Axis kept = is_whole ? Axis::r : axis->axis;
    if (kept == Axis::r && !outer.empty() && outer.front().axis == Axis::r) {
      outer.front().size *= between;
    } else {
      outer.insert(outer.begin(), {.axis = kept, .size = between});
    }
  }
  const auto replicas =
      std::ranges::count_if(outer, [](const MeshAxis& axis) { return axis.axis == Axis::r; });
  return replicas > 1 ? std::nullopt : std::optional(outer);
}

}  // namespace

RankBoxes::RankBoxes(const Distribution& distribution)
    : mesh_(distribution.mesh()), stage_(distribution.stage()) {
  for (std::size_t i = 0; i < dim_count; ++i) {
    dims_[i].rule.length = distribution.shape().extents[i];
    dims_[i].rule.parts = mesh_.size(axis_of(i));
  }
}

RankBoxes RankBoxes::derived() const {
  RankBoxes result = *this;
  result.derived_ = true;
  return result;
}

RankBoxes RankBoxes::under(const Window& window, const Shape& input) const {
  RankBoxes result = derived();
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const std::int64_t length = input[spatial_dims[i]];
    if (window.dims[i] == WindowDim{} && ranges(spatial_dims[i]).rule.length == length) continue;
    RangeRule& rule = result.rule(spatial_dims[i]);
    rule.windowed = true;
    rule.window = window.dims[i];
    rule.input_length = length;
  }
  return result;
}

RankBoxes RankBoxes::over(const Window& window, const Shape& input) const {
  RankBoxes result = under(window, input);
  for (Dim dim : spatial_dims) {
    RangeRule& rule = result.rule(dim);
    rule.transposed = rule.windowed;
  }
  return result;
}

RankBoxes RankBoxes::upsampled(const std::array<UpsampleDim, 3>& dims, const Shape& input) const {
  RankBoxes result = derived();
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    if (dims[i].factor == 1) continue;
    RangeRule& rule = result.rule(spatial_dims[i]);
    rule.upsample = dims[i];
    rule.input_length = input[spatial_dims[i]];
  }
  return result;
}

RankBoxes RankBoxes::with_channels(std::int64_t count, std::int64_t groups) const {
  RankBoxes result = derived();
  RangeRule& rule = result.rule(Dim::c);
  rule.grouped = true;
  rule.groups = groups;
  rule.input_length = count;
  return result;
}

RankBoxes RankBoxes::with_channel_blocks(std::int64_t count, int parts) const {
  RankBoxes result = derived();
  RangeRule& rule = result.rule(Dim::c);
  rule.length = count;
  rule.in_turn = parts == rule.parts ? 0 : parts;
  rule.together = 1;
  return result;
}

RankBoxes RankBoxes::with_joined_channels(std::int64_t count, int together) const {
  RankBoxes result = derived();
  RangeRule& rule = result.rule(Dim::c);
  rule.input_length = count;
  rule.together = together;
  return result;
}

RankBoxes RankBoxes::channels(std::int64_t first, std::int64_t count) const {
  RankBoxes result = derived();
  RangeRule& rule = result.rule(Dim::c);
  rule.cut = true;
  rule.section = {first, first + count};
  return result;
}

std::optional<RankBoxes> RankBoxes::divided_in_nodes(int ranks_per_node, Dim along) const {
  if (!has_equal_nodes(rank_count(), ranks_per_node) || stage_ != 0) return std::nullopt;
  std::optional<std::vector<MeshAxis>> axes = axes_of_nodes(*this, ranks_per_node);
  const Axis split = static_cast<Axis>(along);
  if (!axes || std::ranges::count(*axes, split, &MeshAxis::axis) > 0) return std::nullopt;
  axes->push_back({.axis = split, .size = ranks_per_node});
  RankBoxes parts = *this;
  parts.mesh_ = Mesh(*axes);
  for (const Dim dim : all_dims) {
    const Axis axis = static_cast<Axis>(dim);
    const int size = parts.mesh_.size(axis);
    if (axis != split && size > 1) continue;
    const Range whole = range(dim, 0);
    if (whole.begin != 0) return std::nullopt;
    parts.rule(dim) = {.length = whole.end, .parts = size};
  }
  return parts;
}

RankBoxes RankBoxes::tabulated(Tables& tables) const {
  RankBoxes result = *this;
  for (DimRanges& dim : result.dims_) {
    if (dim.table == nullptr) dim.table = tables.of(dim.rule);
  }
  return result;
}

// A part can be empty only if there are more parts than indices.
bool RankBoxes::owns_nothing(const MeshCoordinates& coordinates) const {
  for (std::size_t i = 0; i < dim_count; ++i) {
    const RangeRule& rule = dims_[i].rule;
    if (rule.cut_into() > rule.length && rule.owned(coordinates[i]).size() == 0) return true;
  }
  return false;
}

Box RankBoxes::box(int rank) const {
  const MeshCoordinates coordinates = mesh_.coordinates(rank);
  if (coordinates[static_cast<std::size_t>(Axis::l)] != stage_) return {};
  if (derived_ && owns_nothing(coordinates)) return {};
  Box box;
  for (std::size_t i = 0; i < dim_count; ++i) {
    box.ranges[i] = dims_[i].at(coordinates[i]);
    if (dims_[i].rule.cut && box.ranges[i].size() == 0) return {};
  }
  return box;
}

int RankBoxes::block(int rank) const {
  return Distribution({}, mesh_).block(rank);
}

// Ranges ascend, or the last coordinate takes the last of the parts that are taken in turn.
Box RankBoxes::hull() const {
  Box hull;
  for (std::size_t i = 0; i < dim_count; ++i) {
    hull.ranges[i] = {dims_[i].at(0).begin, dims_[i].at(dims_[i].filled() - 1).end};
  }
  return hull;
}

// On one mesh, the ranges of dims are compared instead of ranks, if equal ranks have boxes in both.
bool same_boxes(const RankBoxes& a, const RankBoxes& b) {
  if (a == b) return true;
  const auto agree = [&](int rank) { return a.box(rank) == b.box(rank); };
  const auto sample = probes(a.rank_count());
  if (!std::all_of(sample.begin(), sample.end(), agree)) return false;
  const bool same_mesh = a.mesh() == b.mesh() && a.stage() == b.stage();
  const bool same_empty_boxes =
      (a.derived_ && b.derived_) || (!has_empty_parts(a.dims_) && !has_empty_parts(b.dims_));
  if (same_mesh && same_empty_boxes && same_filled_parts(a.dims_, b.dims_)) {
    return same_parts(a.dims_, b.dims_);
  }
  return all_ranks(a.rank_count(), agree);
}

bool same_blocks(const RankBoxes& a, const RankBoxes& b) {
  if (a.mesh() == b.mesh()) return true;
  const auto agree = [&](int rank) { return a.block(rank) == b.block(rank); };
  const auto sample = probes(a.rank_count());
  return std::all_of(sample.begin(), sample.end(), agree) && all_ranks(a.rank_count(), agree);
}

}  // namespace cnnplan
