// Owned and needed blocks of layers, and groups of ranks.
#include "planner/schedule/ownership.hpp"

namespace cnnplan {
namespace {

bool pools(const LayerParameters& parameters) {
  return std::holds_alternative<Pooling>(parameters) ||
         std::holds_alternative<GlobalPooling>(parameters);
}

}  // namespace

BlockOwnership owned_blocks(const Plan& plan, LayerIndex layer) {
  return BlockOwnership(Distribution(plan.network.output_shape(layer, plan.batch),
                                     plan.layers[static_cast<std::size_t>(layer)].mesh));
}

BlockOwnership needed_blocks(const Network& network,
                             LayerIndex layer,
                             std::size_t input,
                             const BlockOwnership& outputs) {
  const LayerParameters& parameters = network.layer(layer).parameters;
  const Shape shape = network.output_shape(network.inputs_of(layer).at(input), 1);
  if (std::holds_alternative<Concat>(parameters)) {
    return outputs.channels(network.first_channel(layer, input), shape[Dim::c]);
  }
  if (const auto* upsample = std::get_if<Upsample>(&parameters)) {
    return outputs.repeated(upsample->factor);
  }
  if (!has_window(parameters)) return outputs;
  const BlockOwnership needed = outputs.under(network.window_of(layer), shape);
  return pools(parameters) ? needed : needed.with_channels(shape[Dim::c]);
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

Window upsample_window(const Upsample& upsample, const Box& output) {
  Window window;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const std::int64_t factor = upsample.factor[i];
    const WindowBlock block = upsample_block(output[spatial_dims[i]], factor);
    window.dims[i] = {.kernel = factor,
                      .stride = factor,
                      .padding_begin = block.padding_begin,
                      .padding_end = block.padding_end};
  }
  return window;
}

RankGroup reduction_group(const Mesh& mesh, int rank) {
  return RankGroup(mesh, rank, {Axis::r});
}

RankGroup statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank) {
  if (statistics == BatchNormStatistics::local) return RankGroup(rank, 1);
  if (statistics == BatchNormStatistics::global) return reduction_group(mesh, rank);
  return RankGroup(mesh, rank, {Axis::n, Axis::r});
}

}  // namespace cnnplan
