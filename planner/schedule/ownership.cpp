// Owned and needed blocks of layers, and groups of ranks.
#include "planner/schedule/ownership.hpp"

namespace cnnplan {
namespace {

// What outputs of the block `output` need of an input of the extents `input`.
Box needed_box(const Window& window, const Box& output, const Shape& input) {
  if (is_empty(output)) return {};
  Box box = output;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    box[dim] = window_block(output[dim], input[dim], window.dims[i]).input;
  }
  return box;
}

// The part of an output of a concat that comes from `input`, which begins there at channel `first`.
Box part_of(const Box& output, const Shape& input, std::int64_t first) {
  Box part = shifted(output, Dim::c, -first);
  part[Dim::c] = intersect(part[Dim::c], {0, input[Dim::c]});
  return is_empty(part) ? Box{} : part;
}

bool pools(const LayerParameters& parameters) {
  return std::holds_alternative<Pooling>(parameters) ||
         std::holds_alternative<GlobalPooling>(parameters);
}

template <typename Predicate>
std::vector<int> ranks_where(const Mesh& mesh, Predicate&& holds) {
  std::vector<int> ranks;
  for (int rank = 0; rank < mesh.rank_count(); ++rank) {
    if (holds(rank)) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

BlockOwnership owned_blocks(const Distribution& distribution) {
  BlockOwnership owned;
  for (int rank = 0; rank < distribution.rank_count(); ++rank) {
    owned.boxes.push_back(distribution.box(rank));
    owned.blocks.push_back(distribution.block(rank));
  }
  return owned;
}

BlockOwnership owned_blocks(const Plan& plan, LayerIndex layer) {
  return owned_blocks(Distribution(plan.network.output_shape(layer, plan.batch),
                                   plan.layers[static_cast<std::size_t>(layer)].mesh));
}

BlockOwnership needed_blocks(const Network& network,
                             LayerIndex layer,
                             std::size_t input,
                             const BlockOwnership& outputs) {
  BlockOwnership needed = outputs;
  const LayerParameters& parameters = network.layer(layer).parameters;
  const Shape shape = network.output_shape(network.inputs_of(layer).at(input), 1);
  if (std::holds_alternative<Concat>(parameters)) {
    const std::int64_t first = network.first_channel(layer, input);
    for (Box& box : needed.boxes) box = part_of(box, shape, first);
  }
  if (!has_window(parameters)) return needed;
  const Window window = network.window_of(layer);
  const bool keeps_channels = pools(parameters);
  for (Box& box : needed.boxes) {
    box = needed_box(window, box, shape);
    if (!keeps_channels && !is_empty(box)) box[Dim::c] = {0, shape[Dim::c]};
  }
  return needed;
}

Window local_window(const Network& network, LayerIndex layer, const Box& output) {
  const Shape input = network.output_shape(network.inputs_of(layer)[0], 1);
  Window window = network.window_of(layer);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    const WindowBlock block = window_block(output[dim], input[dim], window.dims[i]);
    window.dims[i].padding_begin = block.padding_begin;
    window.dims[i].padding_end = block.padding_end;
  }
  return window;
}

std::vector<int> reduction_group(const Mesh& mesh, int rank) {
  const int replica = mesh.coordinate(rank, Axis::r);
  return ranks_where(mesh, [&](int other) { return mesh.coordinate(other, Axis::r) == replica; });
}

std::vector<int> statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank) {
  if (statistics == BatchNormStatistics::local) return {rank};
  if (statistics == BatchNormStatistics::global) return reduction_group(mesh, rank);
  return ranks_where(mesh, [&](int other) {
    return mesh.coordinate(other, Axis::r) == mesh.coordinate(rank, Axis::r) &&
           mesh.coordinate(other, Axis::n) == mesh.coordinate(rank, Axis::n);
  });
}

}  // namespace cnnplan
