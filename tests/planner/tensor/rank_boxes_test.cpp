// Tests boxes of all ranks against boxes that are computed rank by rank.
#include "planner/tensor/rank_boxes.hpp"

#include <algorithm>
#include <optional>

#include <doctest/doctest.h>

#include "planner/tensor/enumerators.hpp"
#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

constexpr Axis axes_of_dims[] = {Axis::n, Axis::c, Axis::d, Axis::h, Axis::w};

Mesh random_mesh(RandomValues& random) {
  std::vector<MeshAxis> axes{{Axis::r, random.small(1, 2)}};
  for (Axis axis : axes_of_dims) {
    const auto place = random.small(0, static_cast<int>(axes.size()));
    axes.insert(axes.begin() + place, {axis, random.small(1, 3)});
  }
  return Mesh(axes);
}

Shape random_shape(RandomValues& random) {
  Shape shape;
  for (Dim dim : all_dims) shape[dim] = random.integer(1, 7);
  return shape;
}

Window random_window(RandomValues& random) {
  Window window;
  for (WindowDim& dim : window.dims) {
    dim = {.kernel = random.integer(1, 4),
           .stride = random.integer(1, 3),
           .padding_begin = random.integer(0, 2),
           .padding_end = random.integer(0, 2),
           .dilation = random.integer(1, 2)};
  }
  return window;
}

// Returns the shape of the outputs of windows over `input`. It is empty if no window fits.
Shape outputs_of(Shape input, const Window& window) {
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    input[spatial_dims[i]] = output_length(input[spatial_dims[i]], window.dims[i]);
  }
  return input;
}

Box needed(const Box& output, const Window& window, const Shape& input) {
  if (is_empty(output)) return {};
  Box box = output;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    box[dim] = window_block(output[dim], input[dim], window.dims[i]).input;
  }
  return box;
}

// Returns blocks that some layer may own or need. There are few rules, so that different rules
// often give equal blocks.
RankBoxes random_blocks(RandomValues& random, const Mesh& mesh, const Shape& shape) {
  RankBoxes blocks(Distribution(shape, mesh));
  if (random.boolean()) {
    Window window;
    window.dims[1] = {.kernel = random.integer(1, 2), .padding_end = random.integer(0, 1)};
    blocks = blocks.under(window, shape);
  }
  if (random.boolean()) blocks = blocks.channels(0, random.integer(1, shape[Dim::c]));
  return blocks;
}

// Returns the owned boxes, for every other seed with tables. Boxes that are derived from them must
// not look at tables of other ranges.
RankBoxes owned_boxes(const Distribution& distribution, std::uint64_t seed) {
  RankBoxes::Tables tables;
  const RankBoxes owned(distribution);
  return seed % 2 == 0 ? owned : owned.tabulated(tables);
}

// Checks `meeting` in one dim against all blocks.
void check_meeting(const RankBoxes& blocks, Dim dim, Range range) {
  const int parts = blocks.mesh().size(static_cast<Axis>(dim));
  const Coordinates found = blocks.ranges(dim).meeting(range);
  for (int i = 0; i < parts; ++i) {
    const bool meets = intersect(blocks.range(dim, i), range).size() > 0;
    if (meets) CHECK((found.begin <= i && i < found.end));
  }
}

}  // namespace

TEST_CASE("RankBoxes: windows, channels and parts of them, rank by rank") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const Window window = random_window(random);
    const Shape input = random_shape(random);
    const Shape output = outputs_of(input, window);
    if (is_empty(whole(output))) continue;
    const Distribution distribution(output, random_mesh(random));
    const RankBoxes owned = owned_boxes(distribution, seed);
    const RankBoxes behind = owned.under(window, input);
    const RankBoxes all_channels = behind.with_channels(11, 1);
    const std::int64_t first = random.integer(0, output[Dim::c] - 1);
    const RankBoxes section = owned.channels(first, 2);
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      CHECK(owned.box(rank) == distribution.box(rank));
      CHECK(owned.block(rank) == distribution.block(rank));
      Box expected = needed(distribution.box(rank), window, input);
      CHECK(behind.box(rank) == expected);
      if (!is_empty(distribution.box(rank))) expected[Dim::c] = {0, 11};
      CHECK(all_channels.box(rank) == expected);
      Box part = shifted(distribution.box(rank), Dim::c, -first);
      part[Dim::c] = intersect(part[Dim::c], {0, 2});
      CHECK(section.box(rank) == (is_empty(part) ? Box{} : part));
    }
    for (Dim dim : all_dims) {
      const std::int64_t begin = random.integer(0, 7);
      check_meeting(owned, dim, {begin, begin + random.integer(0, 4)});
      check_meeting(behind, dim, {begin, begin + random.integer(0, 4)});
      check_meeting(section, dim, {begin, begin + random.integer(0, 4)});
      check_meeting(all_channels, dim, {begin, begin + random.integer(0, 4)});
    }
  }
}

TEST_CASE("RankBoxes: groups of channels and blocks of other channels, rank by rank") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const std::int64_t groups = random.integer(1, 4);
    const std::int64_t filters = random.integer(1, 3);
    const std::int64_t inputs = random.integer(1, 3);
    Shape shape = random_shape(random);
    shape[Dim::c] = groups * filters;
    const Distribution distribution(shape, random_mesh(random));
    const RankBoxes owned = owned_boxes(distribution, seed);
    const RankBoxes grouped = owned.with_channels(groups * inputs, groups);
    shape[Dim::c] = random.integer(1, 7);
    const Distribution others(shape, distribution.mesh());
    const RankBoxes blocks =
        owned.with_channel_blocks(shape[Dim::c], distribution.mesh().size(Axis::c));
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      Box expected = distribution.box(rank);
      Range& channels = expected[Dim::c];
      std::int64_t first = groups;
      std::int64_t last = -1;
      for (std::int64_t c = channels.begin; c < channels.end; ++c) {
        first = std::min(first, c / filters);
        last = std::max(last, c / filters);
      }
      channels = {first * inputs, (last + 1) * inputs};
      CHECK(grouped.box(rank) == (is_empty(distribution.box(rank)) ? Box{} : expected));
      const Box other = others.box(rank);
      CHECK(blocks.box(rank) == (is_empty(other) ? Box{} : other));
    }
    const std::int64_t begin = random.integer(0, 7);
    check_meeting(grouped, Dim::c, {begin, begin + random.integer(0, 4)});
    check_meeting(blocks, Dim::c, {begin, begin + random.integer(0, 4)});
  }
}

TEST_CASE("RankBoxes: channels in turn and several parts together, rank by rank") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const int in_turn = static_cast<int>(random.integer(2, 3));
    const int together = static_cast<int>(random.integer(2, 3));
    const int parts = in_turn * together;
    const Mesh mesh({{Axis::n, 2}, {Axis::c, parts}});
    Shape shape = random_shape(random);
    const Distribution distribution(shape, mesh);
    const std::int64_t inputs = random.integer(1, 7);
    const std::int64_t outputs = random.integer(parts, parts + 5);
    const RankBoxes turns = owned_boxes(distribution, seed).with_channel_blocks(inputs, in_turn);
    const RankBoxes joined = turns.with_joined_channels(outputs, together);
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      const int part = mesh.coordinate(rank, Axis::c);
      Box expected = distribution.box(rank);
      expected[Dim::c] = block_range(inputs, in_turn, part % in_turn);
      for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w}) {
        const int coordinate = mesh.coordinate(rank, static_cast<Axis>(dim));
        expected[dim] = block_range(shape[dim], mesh.size(static_cast<Axis>(dim)), coordinate);
      }
      const bool has_nothing = is_empty(expected);
      CHECK(turns.box(rank) == (has_nothing ? Box{} : expected));
      const int first = part - part % together;
      expected[Dim::c] = {block_range(outputs, parts, first).begin,
                          block_range(outputs, parts, first + together - 1).end};
      CHECK(joined.box(rank) == (has_nothing ? Box{} : expected));
    }
    const std::int64_t begin = random.integer(0, 7);
    check_meeting(turns, Dim::c, {begin, begin + random.integer(0, 4)});
    check_meeting(joined, Dim::c, {begin, begin + random.integer(0, 4)});
    CHECK(turns.hull()[Dim::c] == Range{0, inputs});
    CHECK(joined.hull()[Dim::c] == Range{0, outputs});
  }
}

TEST_CASE("RankBoxes: what an upsampling needs, rank by rank") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const Shape input = random_shape(random);
    Shape output = input;
    std::array<UpsampleDim, 3> dims{};
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      dims[i] = {.factor = random.integer(1, 4),
                 .mode = random.enumerator<UpsampleMode>(),
                 .align_corners = random.boolean()};
      output[spatial_dims[i]] *= dims[i].factor;
    }
    const Distribution distribution(output, random_mesh(random));
    const RankBoxes needed = owned_boxes(distribution, seed).upsampled(dims, input);
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      Box expected = distribution.box(rank);
      for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
        Range& range = expected[spatial_dims[i]];
        if (range.size() == 0) continue;
        range = upsample_block(range, input[spatial_dims[i]], dims[i]).input;
      }
      CHECK(needed.box(rank) == (is_empty(distribution.box(rank)) ? Box{} : expected));
    }
    for (Dim dim : all_dims) {
      const std::int64_t begin = random.integer(0, 7);
      check_meeting(needed, dim, {begin, begin + random.integer(0, 4)});
    }
  }
}

TEST_CASE("RankBoxes: what a transposed convolution needs, rank by rank") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const Shape input = random_shape(random);
    Shape output = input;
    Window window;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      WindowDim& dim = window.dims[i];
      dim = {.kernel = random.integer(1, 3), .stride = random.integer(1, 3)};
      dim.padding_begin = random.integer(0, dim.reach() - 1) / 2;
      const std::int64_t padding = random.integer(0, dim.stride - 1);
      output[spatial_dims[i]] = transposed_length(input[spatial_dims[i]], dim, padding);
    }
    const Distribution distribution(output, random_mesh(random));
    const RankBoxes needed = owned_boxes(distribution, seed).over(window, input);
    for (int rank = 0; rank < distribution.rank_count(); ++rank) {
      Box expected = distribution.box(rank);
      for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
        Range& range = expected[spatial_dims[i]];
        range = transposed_block(range, input[spatial_dims[i]], window.dims[i]).input;
      }
      CHECK(needed.box(rank) == (is_empty(distribution.box(rank)) ? Box{} : expected));
    }
    for (Dim dim : all_dims) {
      const std::int64_t begin = random.integer(0, 7);
      check_meeting(needed, dim, {begin, begin + random.integer(0, 4)});
    }
  }
}

TEST_CASE("same_boxes: also where different rules give the same blocks") {
  const auto blocks = [](const char* mesh) {
    return RankBoxes(Distribution({{4, 1, 1, 8, 8}}, parse_mesh(mesh)));
  };
  const Shape image{{4, 1, 1, 8, 8}};
  Window halo;
  halo.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  CHECK(same_boxes(blocks("n2h2"), blocks("n2h2")));
  CHECK_FALSE(same_boxes(blocks("n2h2"), blocks("h2n2")));
  CHECK_FALSE(same_boxes(blocks("n2h2"), blocks("n2h2").under(halo, image)));
  CHECK(same_boxes(blocks("n4"), blocks("n4").under(halo, image)));
  CHECK(same_boxes(blocks("h2n2"), blocks("h2n2").channels(0, 1)));
}

TEST_CASE("same_boxes: agrees with a look at every rank, with and without empty blocks") {
  RandomValues random(23);
  int equal = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Mesh mesh = random_mesh(random);
    const Shape shape = random_shape(random);
    const RankBoxes a = random_blocks(random, mesh, shape);
    const RankBoxes b = random_blocks(random, mesh, shape);
    bool expected = true;
    for (int rank = 0; rank < mesh.rank_count(); ++rank) {
      expected = expected && a.box(rank) == b.box(rank);
    }
    CAPTURE(to_text(mesh));
    CHECK(same_boxes(a, b) == expected);
    equal += expected ? 1 : 0;
  }
  CHECK(equal > 600);
  CHECK(equal < 2400);
}

TEST_CASE("divided_in_nodes: the ranks of a node have parts of the box that each of them has") {
  const auto blocks = [](const char* mesh) {
    return RankBoxes(Distribution({{8, 4, 1, 8, 1}}, parse_mesh(mesh)));
  };
  const auto are = [&](const std::optional<RankBoxes>& parts, const char* mesh) {
    return parts.has_value() && same_boxes(*parts, blocks(mesh));
  };
  CHECK(are(blocks("n2r4").divided_in_nodes(4, Dim::h), "n2h4"));
  CHECK(are(blocks("n2r4").divided_in_nodes(4, Dim::c), "n2c4"));
  // An axis may lie within nodes and between them.
  CHECK(are(blocks("r8").divided_in_nodes(2, Dim::n), "r4n2"));
  // All ranks along c need all channels.
  CHECK(are(blocks("n2c4").with_channels(4, 1).divided_in_nodes(4, Dim::h), "n2h4"));
  RankBoxes::Tables tables;
  CHECK(are(blocks("n2r4").tabulated(tables).divided_in_nodes(4, Dim::h), "n2h4"));
}

TEST_CASE("divided_in_nodes: absent without several equal nodes whose ranks have one box") {
  const Shape shape{{8, 4, 1, 8, 1}};
  const auto divides = [&](const char* mesh, int ranks_per_node, Dim along) {
    const RankBoxes blocks(Distribution(shape, parse_mesh(mesh)));
    return blocks.divided_in_nodes(ranks_per_node, along).has_value();
  };
  CHECK_FALSE(divides("r8", 1, Dim::n));
  CHECK_FALSE(divides("r8", 3, Dim::n));
  CHECK_FALSE(divides("r8", 8, Dim::n));
  CHECK_FALSE(divides("n8", 2, Dim::h));    // the ranks of a node have different boxes
  CHECK_FALSE(divides("n2r4", 4, Dim::n));  // the nodes differ along the dim
  Window halo;
  halo.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  const RankBoxes rows(Distribution(shape, parse_mesh("h2r2")));
  CHECK(rows.divided_in_nodes(2, Dim::n).has_value());
  CHECK_FALSE(rows.under(halo, shape).divided_in_nodes(2, Dim::n).has_value());
}

TEST_CASE("same_blocks: the ranks that hold replicas of each other") {
  const auto blocks = [](const char* mesh) {
    return RankBoxes(Distribution({{4, 1, 1, 8, 8}}, parse_mesh(mesh)));
  };
  CHECK(same_blocks(blocks("n2h2"), blocks("n2w2")));
  CHECK_FALSE(same_blocks(blocks("n2h2"), blocks("n2r2")));
  CHECK_FALSE(same_blocks(blocks("n2r2"), blocks("r2n2")));
}

}  // namespace cnnplan::test
