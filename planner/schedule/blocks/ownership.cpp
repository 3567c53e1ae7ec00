// Computes owned and needed blocks of layers, and groups of ranks.
#include "planner/schedule/blocks/ownership.hpp"

namespace cnnplan {
namespace {

const LayerPlan& layer_plan(const Plan& plan, LayerIndex layer) {
  return plan.layers[layer];
}

// Ranks of other stages have no channels.
Range channel_block(const Plan& plan, LayerIndex layer, std::int64_t count, int rank) {
  const Mesh& mesh = layer_plan(plan, layer).mesh;
  if (!is_at_stage(plan, layer, rank)) return {};
  return block_range(count, mesh.size(Axis::c), mesh.coordinate(rank, Axis::c));
}

// Says how the channels of a layer that mixes them are cut along c.
struct ChannelParts {
  int all = 1;
  int of_inputs = 1;

  explicit ChannelParts(const LayerPlan& layer)
      : all(layer.mesh.size(Axis::c)), of_inputs(input_parts(layer.channel_algorithm, all)) {}
};

// Returns the input channels that a rank multiplies, of `count`. Ranks of other stages have none.
Range multiplied_channels(const Plan& plan, LayerIndex layer, std::int64_t count, int rank) {
  if (!is_at_stage(plan, layer, rank)) return {};
  const LayerPlan& own = layer_plan(plan, layer);
  const ChannelParts parts(own);
  return block_range(count, parts.of_inputs, own.mesh.coordinate(rank, Axis::c) % parts.of_inputs);
}

// Returns the output channels that a rank computes or adds to. Ranks of other stages have none.
Range computed_channels(const Plan& plan, LayerIndex layer, int rank) {
  if (!is_at_stage(plan, layer, rank)) return {};
  const LayerPlan& own = layer_plan(plan, layer);
  const ChannelParts parts(own);
  const std::int64_t count = plan.network.output_shape(layer, 1)[Dim::c];
  const int coordinate = own.mesh.coordinate(rank, Axis::c);
  const int first = coordinate - coordinate % parts.of_inputs;
  return {block_range(count, parts.all, first).begin,
          block_range(count, parts.all, first + parts.of_inputs - 1).end};
}

// Cuts a whole weight (C, F/groups, ...) down to the part that computes these filters. The part
// consists of whole groups, or is a part of one group.
void set_filters(Range filters, std::int64_t groups, Box& weight) {
  if (filters.size() == 0) {
    weight[Dim::c] = {};
    return;
  }
  const std::int64_t channels_of_group = weight[Dim::n].size() / groups;
  const std::int64_t filters_of_group = weight[Dim::c].size();
  const Range of_groups{filters.begin / filters_of_group, (filters.end - 1) / filters_of_group + 1};
  weight[Dim::n] = {of_groups.begin * channels_of_group, of_groups.end * channels_of_group};
  if (of_groups.size() > 1) return;
  const std::int64_t first = of_groups.begin * filters_of_group;
  weight[Dim::c] = {filters.begin - first, filters.end - first};
}

std::int64_t channels_of(const Plan& plan, LayerIndex layer) {
  return plan.network.output_shape(layer, 1)[Dim::c];
}

}  // namespace

bool is_at_stage(const Plan& plan, LayerIndex layer, int rank) {
  const LayerPlan& own = layer_plan(plan, layer);
  return own.mesh.coordinate(rank, Axis::l) == own.stage;
}

RankBoxes owned_blocks(const Plan& plan, LayerIndex layer) {
  const LayerPlan& own = layer_plan(plan, layer);
  return RankBoxes(Distribution(plan.network.output_shape(layer, plan.batch), own.mesh, own.stage));
}

RankBoxes needed_blocks(const LayerSignature& layer,
                        const RankBoxes& outputs,
                        ChannelAlgorithm algorithm) {
  const LayerTraits& traits = layer.traits;
  const std::int64_t channels = layer.input[Dim::c];
  if (traits.copies_inputs) return outputs.channels(layer.first_channel, channels);
  if (traits.resizes) return outputs.upsampled(layer.upsample, layer.input);
  if (!traits.has_window) return outputs;
  RankBoxes needed = traits.is_transposed ? outputs.over(layer.window, layer.input)
                                          : outputs.under(layer.window, layer.input);
  if (!traits.mixes_channels) return needed;
  const int parts = input_parts(algorithm, outputs.mesh().size(Axis::c));
  return parts > 1 ? needed.with_channel_blocks(channels, parts)
                   : needed.with_channels(channels, layer.groups);
}

RankBoxes computed_blocks(const Plan& plan, LayerIndex layer, const RankBoxes& outputs) {
  const int parts = ChannelParts(layer_plan(plan, layer)).of_inputs;
  const bool is_partial = mixes_channels(plan.network.layer(layer).parameters) && parts > 1;
  if (!is_partial) return outputs;
  const std::int64_t inputs = channels_of(plan, plan.network.inputs_of(layer)[0]);
  return outputs.with_channel_blocks(inputs, parts)
      .with_joined_channels(channels_of(plan, layer), parts);
}

Shape weight_shape(const Network& network, LayerIndex layer) {
  const LayerParameters& parameters = network.layer(layer).parameters;
  const std::int64_t inputs = network.output_shape(network.inputs_of(layer)[0], 1)[Dim::c];
  const std::int64_t outputs = network.output_shape(layer, 1)[Dim::c];
  const bool transposed = is_transposed(parameters);
  const auto kernel = network.window_of(layer).dims;
  return {{transposed ? inputs : outputs,
           (transposed ? outputs : inputs) / groups_of(parameters),
           kernel[0].kernel,
           kernel[1].kernel,
           kernel[2].kernel}};
}

Box weight_block(const Plan& plan, LayerIndex layer, int rank) {
  const LayerParameters& parameters = plan.network.layer(layer).parameters;
  const Shape shape = weight_shape(plan.network, layer);
  const bool of_inputs = ChannelParts(layer_plan(plan, layer)).of_inputs > 1;
  const bool transposed = is_transposed(parameters);
  const Dim inputs = transposed ? Dim::n : Dim::c;
  const Range filters = computed_channels(plan, layer, rank);
  Box box = whole(shape);
  if (!transposed) {
    box[Dim::n] = filters;
  } else if (of_inputs) {
    box[Dim::c] = filters;
  } else {
    set_filters(filters, groups_of(parameters), box);
  }
  if (of_inputs) box[inputs] = multiplied_channels(plan, layer, shape[inputs], rank);
  return box;
}

Box bias_block(const Plan& plan, LayerIndex layer, int rank) {
  const LayerPlan& own = layer_plan(plan, layer);
  Box box = whole({{1, 1, 1, 1, channels_of(plan, layer)}});
  const int part = own.mesh.coordinate(rank, Axis::c) % ChannelParts(own).of_inputs;
  box[Dim::w] = part == 0 ? computed_channels(plan, layer, rank) : Range{};
  return box;
}

Range own_channels(const Plan& plan, LayerIndex layer, int rank) {
  return channel_block(plan, layer, channels_of(plan, layer), rank);
}

Window local_window(const Network& network, LayerIndex layer, const Box& output) {
  const Shape input = network.output_shape(network.inputs_of(layer)[0], 1);
  Window window = network.window_of(layer);
  const auto block_of =
      is_transposed(network.layer(layer).parameters) ? transposed_block : window_block;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    const WindowBlock block = block_of(output[dim], input[dim], window.dims[i]);
    window.dims[i].padding_begin = block.padding_begin;
    window.dims[i].padding_end = block.padding_end;
  }
  return window;
}

Window upsample_window(const Upsample& upsample, const Shape& input, const Box& output) {
  Window window;
  const std::int64_t reach = upsample.mode == UpsampleMode::linear ? 2 : 1;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const UpsampleDim dim = upsample.dims()[i];
    if (dim.factor == 1) continue;
    const WindowBlock block = upsample_block(output[spatial_dims[i]], input[spatial_dims[i]], dim);
    window.dims[i] = {.kernel = reach * dim.factor,
                      .stride = dim.factor,
                      .padding_begin = block.padding_begin,
                      .padding_end = block.padding_end};
  }
  return window;
}

std::array<InterpolationAxis, 3> interpolation_axes(const Upsample& upsample,
                                                    const Shape& input,
                                                    const Box& output) {
  std::array<InterpolationAxis, 3> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim dim = spatial_dims[i];
    axes[i] = interpolation_axis(output[dim], input[dim], upsample.dims()[i]);
  }
  return axes;
}

bool has_alike_replicas(const Mesh& mesh, int ranks_per_node) {
  const int stride = mesh.stride(Axis::r);
  if (stride == 0 || stride % ranks_per_node == 0) return true;
  return ranks_per_node % (stride * mesh.size(Axis::r)) == 0;
}

RankGroup reduction_group(const Mesh& mesh, int rank) {
  return RankGroup(mesh, rank, {Axis::c, Axis::r, Axis::l});
}

RankGroup statistics_group(const Mesh& mesh, BatchNormStatistics statistics, int rank) {
  if (statistics == BatchNormStatistics::local) return RankGroup(rank, 1);
  if (statistics == BatchNormStatistics::global) return reduction_group(mesh, rank);
  return RankGroup(mesh, rank, {Axis::n, Axis::c, Axis::r, Axis::l});
}

}  // namespace cnnplan
