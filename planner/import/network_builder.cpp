// Appends layers with their shapes, by the rules of networks, and changes their parameters.
#include "planner/import/network_builder.hpp"

#include <algorithm>
#include <cmath>

#include "planner/import/onnx/printable.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/network/layer_parameters.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t least_rank = 2;  // (N, C)
constexpr std::size_t most_rank = 5;   // (N, C, D, H, W)

}  // namespace

bool is_plain(const std::vector<std::int64_t>& dims, const Shape& shape) {
  if (dims.size() < least_rank || dims.size() > most_rank) return false;
  for (std::size_t i = 0; i < most_rank - dims.size(); ++i) {
    if (shape[spatial_dims[i]] != 1) return false;
  }
  return dims == model_dims(shape, dims[0], dims.size());
}

std::vector<std::int64_t> model_dims(const Shape& shape, std::int64_t batch, std::size_t rank) {
  std::vector<std::int64_t> dims{batch, shape[Dim::c]};
  for (std::size_t i = most_rank - rank; i < spatial_dims.size(); ++i) {
    dims.push_back(shape[spatial_dims[i]]);
  }
  return dims;
}

LayerIndex NetworkBuilder::append(const std::string& name,
                                  const LayerParameters& parameters,
                                  const std::vector<LayerIndex>& inputs) {
  Layer layer{.name = names_.unique(name), .inputs = {}, .parameters = parameters};
  std::vector<Shape> input_shapes;
  for (const LayerIndex input : inputs) {
    layer.inputs.push_back(layers_.at(input).name);
    input_shapes.push_back(shape(input));
  }
  const Shape output =
      sample_shape(parameters, input_shapes, {.file = file_, .layer = layers_.end_index()});
  volume(output);
  if (layers_.size() + 1 >= max_layers) throw UnmappedNode("too many layers");
  shapes_.push_back(output);
  inputs_.push_back(inputs);
  return layers_.push_back(std::move(layer));
}

Activation NetworkBuilder::add_input(const std::string& name,
                                     const std::vector<std::int64_t>& dims) {
  if (dims.size() < least_rank || dims.size() > most_rank) {
    throw InputError({.file = file_,
                      .pointer = "input '" + printable(name) + '\'',
                      .value = "dims " + dims_text(dims),
                      .allowed = "(N, C, H, W), (N, C, D, H, W), (N, C, W) or (N, C)"});
  }
  Input input{.channels = dims[1]};
  std::copy_backward(dims.begin() + 2, dims.end(), input.size.end());
  batch_ = dims[0];
  return {.layer = append(name, input, {}),
          .dims = dims,
          .margins = {},
          .groups = {},
          .is_layer_output = true};
}

Activation NetworkBuilder::add_layer(const NodeReader& node,
                                     const LayerParameters& parameters,
                                     const std::vector<Activation>& inputs) {
  std::vector<LayerIndex> layers;
  for (const Activation& input : inputs) layers.push_back(input.layer);
  const LayerIndex layer = append(source_name(node.node()), parameters, layers);
  // A flattened output stays flattened if the layer works element by element.
  const Activation& x = inputs.at(0);
  const bool is_same = shape(layer) == shape(x.layer) && !x.has_margin();
  std::vector<std::int64_t> dims = model_dims(shape(layer), batch_, x.dims.size());
  if (x.is_channels_last) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
  return {.layer = layer,
          .dims = is_same ? x.dims : dims,
          .margins = {},
          .groups = {},
          .is_layer_output = true,
          .is_channels_last = x.is_channels_last};
}

void NetworkBuilder::add_tensor(LayerIndex index,
                                const std::string& name,
                                const std::vector<std::int64_t>& extents,
                                const Constant& values) {
  tensors_.add(index,
               {.layer = layer(index).name,
                .name = name,
                .extents = extents,
                .values = values.tensor,
                .is_transposed = values.is_transposed});
}

void NetworkBuilder::add_bias(LayerIndex index, const Constant& values) {
  const std::vector<std::int64_t> dims{shape(index)[Dim::c]};
  if (dims_of(values) != dims) {
    throw UnmappedNode("a bias " + dims_text(dims_of(values)) + " in place of " + dims_text(dims));
  }
  set_bias(index, values);
}

void NetworkBuilder::set_bias(LayerIndex index, const Constant& values) {
  LayerParameters& parameters = layers_.at(index).parameters;
  if (auto* convolution = std::get_if<Convolution>(&parameters)) convolution->bias = true;
  if (auto* transposed = std::get_if<TransposedConvolution>(&parameters)) transposed->bias = true;
  if (auto* full = std::get_if<FullyConnected>(&parameters)) full->bias = true;
  add_tensor(index, "bias", {shape(index)[Dim::c]}, values);
}

void NetworkBuilder::scale_output(LayerIndex index, const std::vector<double>& factors) {
  if (factors == std::vector<double>{1}) return;
  for (const double factor : factors) {
    if (factor == 0 || !std::isfinite(factor)) {
      throw UnmappedNode("multiplies by 0, or by a number that is not finite");
    }
  }
  if (factors.size() > 1 && is_transposed(layer(index).parameters)) {
    throw UnmappedNode("scales the channels of a transposed convolution by several factors");
  }
  tensors_.scale_output(index, factors);
  if (!scaled_.insert(index).second) return;
  notes_.push_back(
      "took constants after '" + layer(index).name +
      "' into its parameters: gradients are those of the model divided by the constants");
}

void NetworkBuilder::shift_output(LayerIndex index, const Constant& values, double factor) {
  const LayerParameters& parameters = layer(index).parameters;
  if (mixes_channels(parameters) && !has_bias(parameters)) {
    set_bias(index, values);
    tensors_.scale(index, "bias", {factor});
    return;
  }
  std::vector<double> offsets = reals_of(*values.tensor);
  for (double& offset : offsets) {
    offset *= factor;
    if (!std::isfinite(offset)) throw UnmappedNode("adds a number that is not finite");
  }
  tensors_.shift(index, mixes_channels(parameters) ? "bias" : "shift", offsets);
}

void NetworkBuilder::require_plain(const Activation& x) const {
  if (is_plain(x.dims, shape(x.layer))) return;
  throw UnmappedNode("its input " + dims_text(x.dims) + " is flattened");
}

bool NetworkBuilder::is_used_once(const std::string& value) const {
  const auto found = uses_.find(value);
  return found != uses_.end() && found->second == 1;
}

IndexedVector<LayerIndex, bool> NetworkBuilder::layers_under(
    const std::vector<OutputLoss>& losses) const {
  IndexedVector<LayerIndex, bool> is_under(layers_.size());
  for (const OutputLoss& loss : losses) is_under.at(loss.output) = true;
  for (LayerIndex i = layers_.end_index(); i-- > 0;) {
    if (!is_under[i]) continue;
    for (const LayerIndex input : inputs_[i]) is_under[input] = true;
  }
  return is_under;
}

Network NetworkBuilder::network(const std::string& name, const std::vector<OutputLoss>& losses) {
  const IndexedVector<LayerIndex, bool> is_under = layers_under(losses);
  std::vector<Layer> layers;
  std::set<std::string> dropped;
  for (const LayerIndex i : layers_.indices()) {
    if (is_under[i]) {
      layers.push_back(layers_[i]);
    } else {
      dropped.insert(layers_[i].name);
    }
  }
  tensors_.drop(dropped);
  for (const OutputLoss& loss : losses) {
    const bool is_main = &loss == &losses.back();
    layers.push_back({.name = is_main ? "loss" : names_.unique(loss.name),
                      .inputs = {layer(loss.output).name},
                      .parameters = loss.parameters});
  }
  return Network(name, std::move(layers), file_);
}

}  // namespace cnnplan
