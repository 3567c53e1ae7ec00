// Tests which blocks ranks own and need, against reads of windows that are enumerated.
#include "planner/schedule/blocks/ownership.hpp"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "planner/schedule/blocks/exchange.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// Returns the inputs in [0, length) that the outputs read, one by one.
std::set<std::int64_t> reads(Range outputs, std::int64_t length, const WindowDim& window) {
  std::set<std::int64_t> read;
  for (std::int64_t output = outputs.begin; output < outputs.end; ++output) {
    for (std::int64_t k = 0; k < window.kernel; ++k) {
      const std::int64_t input =
          output * window.stride - window.padding_begin + k * window.dilation;
      if (input >= 0 && input < length) read.insert(input);
    }
  }
  return read;
}

// Says whether `needed` holds all inputs that are read. Beyond them, it may hold less than one
// window and the inputs that the stride skips after it.
bool is_hull(Range needed, const std::set<std::int64_t>& read, const WindowDim& window) {
  if (read.empty()) return true;
  const std::int64_t skipped = std::max<std::int64_t>(0, window.stride - window.reach());
  return needed.begin <= *read.begin() && needed.begin > *read.begin() - window.reach() &&
         needed.end > *read.rbegin() && needed.end <= *read.rbegin() + skipped + window.reach();
}

// Compares every read of every output with a read in indices of the needed block. Inside the block,
// both must be one element. Outside of it, the read must be padding of the image, too.
bool local_reads_agree(Range outputs,
                       Range needed,
                       std::int64_t length,
                       const WindowDim& global,
                       const WindowDim& local) {
  for (std::int64_t i = 0; i < outputs.size(); ++i) {
    for (std::int64_t k = 0; k < global.kernel; ++k) {
      const std::int64_t in_image =
          (outputs.begin + i) * global.stride - global.padding_begin + k * global.dilation;
      const std::int64_t in_block = i * local.stride - local.padding_begin + k * local.dilation;
      const bool inside = in_block >= 0 && in_block < needed.size();
      if (inside != (in_image >= 0 && in_image < length)) return false;
      if (inside && needed.begin + in_block != in_image) return false;
    }
  }
  return true;
}

// Returns the channels of the input that a rank multiplies with or pools.
Range channels_read(const Plan& plan, LayerIndex layer, const Box& output, int rank) {
  const LayerParameters& parameters = plan.network.layer(layer).parameters;
  if (!mixes_channels(parameters)) return output[Dim::c];
  const LayerPlan& split = plan.layers[layer];
  const Range all{0, plan.network.output_shape(plan.network.inputs_of(layer)[0], 1)[Dim::c]};
  const int parts = split.mesh.size(Axis::c);
  if (sums_over_channels(split.split())) {
    const int of_inputs = input_parts(split.channel_algorithm, parts);
    return block_range(all.end, of_inputs, split.mesh.coordinate(rank, Axis::c) % of_inputs);
  }
  const std::int64_t groups = groups_of(parameters);
  if (groups == 1) return all;
  // Each group has this number of filters.
  const std::int64_t filters = plan.network.output_shape(layer, 1)[Dim::c] / groups;
  const std::int64_t inputs = all.end / groups;
  return {output[Dim::c].begin / filters * inputs,
          ((output[Dim::c].end - 1) / filters + 1) * inputs};
}

// Checks one windowed layer on one rank.
void check_windowed(
    const Plan& plan, LayerIndex layer, int rank, const Box& output, const Box& needed) {
  const Network& network = plan.network;
  const Shape input = network.output_shape(network.inputs_of(layer)[0], plan.batch);
  const Window global = network.window_of(layer);
  const Window local = local_window(network, layer, output);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    const std::int64_t length = input[dim];
    CHECK(is_hull(needed[dim], reads(output[dim], length, global.dims[i]), global.dims[i]));
    CHECK(local_reads_agree(output[dim], needed[dim], length, global.dims[i], local.dims[i]));
    CHECK(output_length(needed[dim].size(), local.dims[i]) == output[dim].size());
  }
  CHECK(needed[Dim::n] == output[Dim::n]);
  CHECK(needed[Dim::c] == channels_read(plan, layer, output, rank));
}

// Checks the inputs that one linear upsampling needs on one rank, dim by dim.
void check_interpolation(const Upsample& upsample,
                         const Shape& input,
                         const Box& output,
                         const Box& needed) {
  const auto axes = interpolation_axes(upsample, input, output);
  Box expected = output;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim dim = spatial_dims[i];
    const UpsampleDim way = upsample.dims()[i];
    expected[dim] = upsample_block(output[dim], input[dim], way).input;
    CHECK(axes[i] == interpolation_axis(output[dim], input[dim], way));
  }
  CHECK(needed == expected);
}

// Checks one transposed convolution on one rank. Every tap of a needed input must meet one output,
// both in the block and in the image. Inputs whose taps meet no output of the block need not be
// there.
void check_transposed(
    const Plan& plan, LayerIndex layer, int rank, const Box& output, const Box& needed) {
  const Network& network = plan.network;
  const Shape input = network.output_shape(network.inputs_of(layer)[0], plan.batch);
  const Window global = network.window_of(layer);
  const Window local = local_window(network, layer, output);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Range outputs = output[spatial_dims[i]];
    const Range inputs = needed[spatial_dims[i]];
    const WindowDim& dim = global.dims[i];
    CHECK(output_length(outputs.size(), local.dims[i]) == inputs.size());
    for (std::int64_t at = 0; at < input[spatial_dims[i]]; ++at) {
      for (std::int64_t k = 0; k < dim.kernel; ++k) {
        const std::int64_t met = at * dim.stride - dim.padding_begin + k * dim.dilation;
        if (met < outputs.begin || met >= outputs.end) continue;
        const bool is_needed = at >= inputs.begin && at < inputs.end;
        CHECK(is_needed);
        const std::int64_t in_block =
            (at - inputs.begin) * dim.stride - local.dims[i].padding_begin + k * dim.dilation;
        CHECK(outputs.begin + in_block == met);
      }
    }
  }
  CHECK(needed[Dim::n] == output[Dim::n]);
  CHECK(needed[Dim::c] == channels_read(plan, layer, output, rank));
}

// Checks that one upsampling on one rank repeats, for every output, the input that its place in the
// block gives.
void check_upsample(const Upsample& upsample,
                    const Shape& input,
                    const Box& output,
                    const Box& needed) {
  if (upsample.mode == UpsampleMode::linear) {
    return check_interpolation(upsample, input, output, needed);
  }
  const Window local = upsample_window(upsample, input, output);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    const std::int64_t factor = upsample.factor[i];
    CHECK(output_length(output[dim].size(), local.dims[i]) == needed[dim].size());
    for (std::int64_t place = 0; place < output[dim].size(); ++place) {
      const std::int64_t source = (place + local.dims[i].padding_begin) / local.dims[i].stride;
      CHECK(needed[dim].begin + source == (output[dim].begin + place) / factor);
    }
  }
  CHECK(needed[Dim::n] == output[Dim::n]);
  CHECK(needed[Dim::c] == output[Dim::c]);
}

std::vector<int> summed_with(const char* mesh, int rank) {
  return reduction_group(parse_mesh(mesh), rank).ranks();
}

std::vector<int> group_of(const char* mesh, BatchNormStatistics statistics, int rank) {
  return statistics_group(parse_mesh(mesh), statistics, rank).ranks();
}

std::vector<Box> boxes_of(const RankBoxes& blocks) {
  std::vector<Box> boxes;
  for (int rank = 0; rank < blocks.rank_count(); ++rank) boxes.push_back(blocks.box(rank));
  return boxes;
}

}  // namespace

TEST_CASE("Ownership: needed blocks are what the windows of the owned outputs read") {
  for (const NamedPlan& named : random_plans(60)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (LayerIndex layer(1); layer < plan.network.layer_count(); ++layer) {
      if (copies_inputs(plan.network.layer(layer).parameters)) continue;
      const RankBoxes owned = owned_blocks(plan, layer);
      const RankBoxes computed = computed_blocks(plan, layer, owned);
      const auto algorithm = plan.layers[layer].channel_algorithm;
      const RankBoxes needed =
          needed_blocks(signature_of(plan.network, layer, 0, plan.batch), owned, algorithm);
      CHECK(same_blocks(needed, owned));
      const LayerParameters& parameters = plan.network.layer(layer).parameters;
      const LayerTraits& traits = traits_of(parameters);
      if (!traits.has_window && !traits.resizes) {
        CHECK(same_boxes(needed, owned));
        continue;
      }
      for (int rank = 0; rank < owned.rank_count(); ++rank) {
        const Box output = computed.box(rank);
        if (is_empty(output)) {
          CHECK(is_empty(needed.box(rank)));
        } else if (const auto* upsample = std::get_if<Upsample>(&parameters)) {
          const LayerIndex input = plan.network.inputs_of(layer)[0];
          check_upsample(
              *upsample, plan.network.output_shape(input, plan.batch), output, needed.box(rank));
        } else if (is_transposed(parameters)) {
          check_transposed(plan, layer, rank, output, needed.box(rank));
        } else {
          check_windowed(plan, layer, rank, output, needed.box(rank));
        }
      }
    }
  }
}

// The concat has inputs of 4 and 2 channels, and then the first input once more.
TEST_CASE("Ownership: a concat needs of every input its channels of the owned outputs") {
  const Network network("concat",
                        {{"data", {}, Input{.channels = 4, .size = {1, 6, 1}}},
                         {"conv", {"data"}, Convolution{.filters = 2}},
                         {"join", {"data", "conv", "data"}, Concat{}},
                         {"loss", {"join"}, SoftmaxCrossEntropy{}}});
  const auto needed = [&](const char* mesh, std::size_t input) {
    const RankBoxes outputs =
        RankBoxes(Distribution(network.output_shape(LayerIndex(2), 1), parse_mesh(mesh)));
    CHECK(same_blocks(needed_blocks(signature_of(network, LayerIndex(2), input, 1), outputs),
                      outputs));
    return boxes_of(needed_blocks(signature_of(network, LayerIndex(2), input, 1), outputs));
  };
  const auto block = [](Range channels, Range rows) {
    return Box{{Range{0, 1}, channels, Range{0, 1}, rows, Range{0, 1}}};
  };
  CHECK(needed("h2", 0) == std::vector{block({0, 4}, {0, 3}), block({0, 4}, {3, 6})});
  CHECK(needed("h2", 1) == std::vector{block({0, 2}, {0, 3}), block({0, 2}, {3, 6})});
  CHECK(needed("h2", 2) == needed("h2", 0));
  // The ranks own channels 0 to 5 and 5 to 10.
  CHECK(needed("c2", 0) == std::vector{block({0, 4}, {0, 6}), Box{}});
  CHECK(needed("c2", 1) == std::vector{block({0, 1}, {0, 6}), block({1, 2}, {0, 6})});
  CHECK(needed("c2", 2) == std::vector{Box{}, block({0, 4}, {0, 6})});
  CHECK(is_empty(needed("h8", 1)[7]));
}

// The layer turns 6 channels into 4 filters.
TEST_CASE("Ownership: the weight of a transposed convolution is cut by its inputs and outputs") {
  const auto block =
      [](std::int64_t groups, const char* mesh, ChannelAlgorithm algorithm, int rank) {
        const Network network(
            "transposed",
            {{"data", {}, Input{.channels = 6, .size = {1, 2, 2}}},
             {"up", {"data"}, TransposedConvolution{.filters = 4, .groups = groups, .bias = true}},
             {"loss", {"up"}, SoftmaxCrossEntropy{}}});
        Plan plan = uniform_plan(network, 1, parse_mesh(mesh));
        plan.layers[LayerIndex(1)].channel_algorithm = algorithm;
        const Box box = weight_block(plan, LayerIndex(1), rank);
        return std::array{box[Dim::n], box[Dim::c]};
      };
  using enum ChannelAlgorithm;
  using Ranges = std::array<Range, 2>;
  CHECK(block(1, "c2", stationary_y, 1) == Ranges{Range{0, 6}, Range{2, 4}});
  CHECK(block(1, "c2", stationary_x, 1) == Ranges{Range{3, 6}, Range{0, 4}});
  CHECK(block(1, "c4", stationary_w, 0) == Ranges{Range{0, 3}, Range{0, 2}});
  CHECK(block(1, "c4", stationary_w, 1) == Ranges{Range{3, 6}, Range{0, 2}});
  CHECK(block(1, "c4", stationary_w, 2) == Ranges{Range{0, 3}, Range{2, 4}});
  CHECK(block(2, "c2", stationary_y, 1) == Ranges{Range{3, 6}, Range{0, 2}});
  CHECK(block(2, "c4", stationary_y, 3) == Ranges{Range{3, 6}, Range{1, 2}});
  CHECK(block(1, "c8", stationary_y, 7)[1].size() == 0);
  CHECK(block(1, "n2", stationary_y, 1) == Ranges{Range{0, 6}, Range{0, 4}});
}

TEST_CASE("has_alike_replicas: groups of all replicas are cut by nodes at the same places") {
  // Returns for each position whether a rank of the group shares a node with the first one.
  const auto shares_node = [](const Mesh& mesh, int rank, int ranks_per_node) {
    const RankGroup group = reduction_group(mesh, rank);
    std::vector<bool> shares;
    for (int member : group.ranks()) {
      shares.push_back(member / ranks_per_node == group.front() / ranks_per_node);
    }
    return shares;
  };
  int alike = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int ranks = seed % 2 == 0 ? 12 : 8;
    const Mesh mesh = random_mesh(seed, ranks);
    for (int ranks_per_node = 1; ranks_per_node <= ranks; ++ranks_per_node) {
      if (!has_alike_replicas(mesh, ranks_per_node)) continue;
      CAPTURE(to_text(mesh));
      CAPTURE(ranks_per_node);
      alike += mesh.size(Axis::r) > 1 ? 1 : 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const int first = rank - mesh.coordinate(rank, Axis::r) * mesh.stride(Axis::r);
        CHECK(shares_node(mesh, rank, ranks_per_node) == shares_node(mesh, first, ranks_per_node));
      }
    }
  }
  CHECK(alike > 100);
  CHECK(has_alike_replicas(parse_mesh("n4r2"), 4));
  CHECK(has_alike_replicas(parse_mesh("r2n4"), 4));
  CHECK_FALSE(has_alike_replicas(parse_mesh("r2n4"), 3));
  CHECK(has_alike_replicas(parse_mesh("n8"), 3));
}

TEST_CASE("Ownership: a slice needs its output block, in the channels of its input") {
  const Network network("slice",
                        {{"data", {}, Input{.channels = 5, .size = {1, 6, 1}}},
                         {"slice", {"data"}, Slice{.first_channel = 2, .channels = 3}},
                         {"loss", {"slice"}, SoftmaxCrossEntropy{}}});
  const auto needed = [&](const char* mesh) {
    const RankBoxes outputs =
        RankBoxes(Distribution(network.output_shape(LayerIndex(1), 1), parse_mesh(mesh)));
    return boxes_of(needed_blocks(signature_of(network, LayerIndex(1), 0, 1), outputs));
  };
  const auto block = [](Range channels, Range rows) {
    return Box{{Range{0, 1}, channels, Range{0, 1}, rows, Range{0, 1}}};
  };
  CHECK(needed("h2") == std::vector{block({2, 5}, {0, 3}), block({2, 5}, {3, 6})});
  CHECK(needed("c2") == std::vector{block({2, 4}, {0, 6}), block({4, 5}, {0, 6})});
  CHECK(needed("c4") ==
        std::vector{block({2, 3}, {0, 6}), block({3, 4}, {0, 6}), block({4, 5}, {0, 6}), Box{}});
}

TEST_CASE("Ownership: owned blocks of one replica cover the tensor once") {
  for (const NamedPlan& named : random_plans(20)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const LayerIndex layer : plan.network.layers().indices()) {
      const RankBoxes owned = owned_blocks(plan, layer);
      const Mesh& mesh = plan.layers[layer].mesh;
      std::int64_t covered = 0;
      for (int rank : RankGroup(mesh, 0, {Axis::r}).ranks()) {
        covered += volume(owned.box(rank));
      }
      CHECK(covered == volume(plan.network.output_shape(layer, plan.batch)));
    }
  }
}

TEST_CASE("Ownership: gradients are summed over the ranks of one replica with the same channels") {
  CHECK(summed_with("n2c2", 3) == std::vector{1, 3});
  CHECK(summed_with("n2h2", 3) == std::vector{0, 1, 2, 3});
  CHECK(summed_with("n2r2", 0) == std::vector{0, 2});
  CHECK(summed_with("n2r2", 3) == std::vector{1, 3});
  CHECK(summed_with("r2n2", 3) == std::vector{2, 3});
  CHECK(summed_with("r4", 2) == std::vector{2});
}

TEST_CASE("Ownership: groups of ranks that normalise together") {
  using enum BatchNormStatistics;
  CHECK(group_of("n2h2", local, 2) == std::vector{2});
  CHECK(group_of("n2h2", spatial, 2) == std::vector{2, 3});
  CHECK(group_of("h2n2", spatial, 2) == std::vector{0, 2});
  CHECK(group_of("n2h2", global, 2) == std::vector{0, 1, 2, 3});
  CHECK(group_of("n2h2r2", spatial, 5) == std::vector{5, 7});
  CHECK(group_of("n2h2r2", global, 5) == std::vector{1, 3, 5, 7});
  CHECK(group_of("n4", spatial, 1) == std::vector{1});
  CHECK(group_of("h2w2", spatial, 1) == std::vector{0, 1, 2, 3});
}

}  // namespace cnnplan::test
