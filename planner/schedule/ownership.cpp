// Owned and needed blocks of layers, and groups of ranks.
#include "planner/schedule/ownership.hpp"

namespace cnnplan {
namespace {

Box needed_box(const Network& network, LayerIndex layer, const Box& output, const Shape& input) {
  if (is_empty(output)) return {};
  Box box = output;
  if (!has_window(network.layer(layer).parameters)) return box;
  const Window window = network.window_of(layer);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    box[dim] = window_block(output[dim], input[dim], window.dims[i]).input;
  }
  box[Dim::c] = {0, input[Dim::c]};
  return box;
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

BlockOwnership owned_blocks(const Plan& plan, LayerIndex layer) {
  const Distribution distribution(plan.network.output_shape(layer, plan.batch),
                                  plan.layers[static_cast<std::size_t>(layer)].mesh);
  BlockOwnership owned;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    owned.boxes.push_back(distribution.box(rank));
    owned.blocks.push_back(distribution.block(rank));
  }
  return owned;
}

BlockOwnership needed_blocks(const Plan& plan, LayerIndex layer) {
  const Network& network = plan.network;
  const Shape input = network.output_shape(network.inputs_of(layer)[0], plan.batch);
  BlockOwnership needed = owned_blocks(plan, layer);
  const bool keeps_channels = pools(network.layer(layer).parameters);
  for (Box& box : needed.boxes) {
    const Range channels = box[Dim::c];
    box = needed_box(network, layer, box, input);
    if (keeps_channels && !is_empty(box)) box[Dim::c] = channels;
  }
  return needed;
}

Window local_window(const Plan& plan, LayerIndex layer, const Box& output) {
  const Network& network = plan.network;
  const Shape input = network.output_shape(network.inputs_of(layer)[0], plan.batch);
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
