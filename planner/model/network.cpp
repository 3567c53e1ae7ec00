// Validation and shape inference of networks.
#include "planner/model/network.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "planner/model/checked.hpp"
#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

// A name that stands for something else in files ("prev") or in ids of operations.
constexpr std::array<std::string_view, 3> reserved_names{"prev", "reduce", "sgd"};

// Of a whole network: what its layers hold, gradients and momentum included, stays below the bytes
// that files may name.
constexpr std::int64_t max_parameters = std::int64_t{1} << 53;

// Where a problem stands: "/layers/<index>/<key>" of `file`.
struct Place {
  std::string file;
  std::size_t layer;

  [[noreturn]] void refuse(const std::string& key, std::string value, std::string allowed) const {
    throw InputError(
        {.file = file,
         .pointer = "/layers/" + std::to_string(layer) + (key.empty() ? "" : "/" + key),
         .value = std::move(value),
         .allowed = std::move(allowed)});
  }
  void require(bool holds,
               const std::string& key,
               std::int64_t value,
               const std::string& allowed) const {
    if (!holds) refuse(key, std::to_string(value), allowed);
  }
};

// How many inputs a layer has; of a concat, at least.
std::size_t input_count(const LayerParameters& parameters) {
  if (std::holds_alternative<Input>(parameters)) return 0;
  return has_several_inputs(parameters) ? 2 : 1;
}

bool has_valid_input_count(const Layer& layer) {
  const std::size_t count = input_count(layer.parameters);
  const bool open = std::holds_alternative<Concat>(layer.parameters);
  return layer.inputs.size() == count || (open && layer.inputs.size() > count);
}

// The whole image as one window.
Window whole_image(const Shape& input) {
  Window window;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i)
    window.dims[i].kernel = input[spatial_dims[i]];
  return window;
}

Window window_for(const LayerParameters& parameters, const Shape& input) {
  if (const auto* convolution = std::get_if<Convolution>(&parameters)) return convolution->window;
  if (const auto* pooling = std::get_if<Pooling>(&parameters)) return pooling->window;
  return whole_image(input);
}

void check_window(const Window& window, const Shape& input, const Place& place) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    place.require(dim.kernel >= 1, "kernel", dim.kernel, "at least 1");
    place.require(dim.stride >= 1, "stride", dim.stride, "at least 1");
    place.require(dim.dilation >= 1, "dilation", dim.dilation, "at least 1");
    const std::int64_t reach = checked_add(checked_multiply(dim.dilation, dim.kernel - 1), 1);
    const std::string padding_allowed =
        "0 to the reach of the kernel minus 1 = " + std::to_string(reach - 1);
    place.require(dim.padding_begin >= 0 && dim.padding_begin < reach,
                  "padding",
                  dim.padding_begin,
                  padding_allowed);
    place.require(dim.padding_end >= 0 && dim.padding_end < reach,
                  "padding_end",
                  dim.padding_end,
                  padding_allowed);
    const std::int64_t padded =
        checked_add(checked_add(input[spatial_dims[i]], dim.padding_begin), dim.padding_end);
    place.require(padded >= reach,
                  "kernel",
                  dim.kernel,
                  "a kernel that fits into the padded input of extent " + std::to_string(padded));
  }
}

// A window that begins in the padding may step over the whole input where its taps lie further
// apart than that is long.
bool every_window_holds_input(const WindowDim& dim, std::int64_t length) {
  if (dim.dilation <= length) return true;
  // Where the first taps behind the padding lie repeats; until then no two windows have the same,
  // so of length + 1 windows one misses.
  const std::int64_t in_padding = dim.padding_begin / dim.stride + 1;
  const std::int64_t windows = std::min({output_length(length, dim), in_padding, length + 1});
  for (std::int64_t i = 0; i < windows; ++i) {
    const std::int64_t last_step = (dim.padding_begin - i * dim.stride) % dim.dilation;
    const std::int64_t first_tap = last_step == 0 ? 0 : dim.dilation - last_step;
    if (first_tap >= length) return false;
  }
  return true;
}

void check_pooled(const Window& window, const Shape& input, const Place& place) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    const std::int64_t length = input[spatial_dims[i]];
    place.require(every_window_holds_input(dim, length),
                  "padding",
                  dim.padding_begin,
                  "padding with which every window of dilation " + std::to_string(dim.dilation) +
                      " holds one of the " + std::to_string(length) + " inputs");
  }
}

Shape windowed_shape(const Window& window, const Shape& input, std::int64_t channels) {
  Shape output = input;
  output[Dim::c] = channels;
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    output[spatial_dims[i]] = output_length(input[spatial_dims[i]], window.dims[i]);
  }
  return output;
}

// Shape of one sample after a layer; checks the layer's own parameters.
class ShapeRule {
 public:
  ShapeRule(const Place& place, const std::vector<Shape>& inputs)
      : place_(place), inputs_(inputs) {}

  Shape operator()(const Input& input) const {
    place_.require(input.channels >= 1, "channels", input.channels, "at least 1");
    for (std::int64_t extent : input.size)
      place_.require(extent >= 1, "size", extent, "at least 1");
    return {{1, input.channels, input.size[0], input.size[1], input.size[2]}};
  }
  Shape operator()(const Convolution& layer) const {
    check_window(layer.window, x(), place_);
    place_.require(layer.filters >= 1, "filters", layer.filters, "at least 1");
    place_.require(
        layer.groups >= 1 && x()[Dim::c] % layer.groups == 0 && layer.filters % layer.groups == 0,
        "groups",
        layer.groups,
        "a divisor of " + std::to_string(x()[Dim::c]) + " channels and " +
            std::to_string(layer.filters) + " filters");
    return windowed_shape(layer.window, x(), layer.filters);
  }
  Shape operator()(const FullyConnected& layer) const {
    place_.require(layer.outputs >= 1, "outputs", layer.outputs, "at least 1");
    return windowed_shape(whole_image(x()), x(), layer.outputs);
  }
  Shape operator()(const BatchNorm& layer) const {
    if (!(layer.epsilon > 0)) place_.refuse("epsilon", std::to_string(layer.epsilon), "above 0");
    if (!(layer.momentum >= 0 && layer.momentum <= 1)) {
      place_.refuse("momentum", std::to_string(layer.momentum), "0 to 1");
    }
    return x();
  }
  Shape operator()(const Relu& layer) const {
    if (!(layer.max > 0)) place_.refuse("max", std::to_string(layer.max), "above 0");
    return x();
  }
  Shape operator()(const Pooling& layer) const {
    check_window(layer.window, x(), place_);
    check_pooled(layer.window, x(), place_);
    return windowed_shape(layer.window, x(), x()[Dim::c]);
  }
  Shape operator()(const GlobalPooling&) const {
    return windowed_shape(whole_image(x()), x(), x()[Dim::c]);
  }
  Shape operator()(const Upsample& layer) const {
    Shape output = x();
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      place_.require(layer.factor[i] >= 1, "factor", layer.factor[i], "at least 1");
      output[spatial_dims[i]] = checked_multiply(x()[spatial_dims[i]], layer.factor[i]);
    }
    return output;
  }
  Shape operator()(const Add&) const {
    if (inputs_[0] != inputs_[1]) {
      place_.refuse("inputs", to_text(inputs_[0]) + " and " + to_text(inputs_[1]), "equal shapes");
    }
    return x();
  }
  Shape operator()(const Concat&) const {
    Shape joined = x();
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      Shape same = inputs_[i];
      same[Dim::c] = x()[Dim::c];
      if (same != x()) {
        place_.refuse("inputs",
                      to_text(x()) + " and " + to_text(inputs_[i]),
                      "shapes that are equal but for the channels");
      }
      joined[Dim::c] = checked_add(joined[Dim::c], inputs_[i][Dim::c]);
    }
    return joined;
  }
  Shape operator()(const Dropout& layer) const {
    if (!(layer.rate >= 0 && layer.rate < 1)) {
      place_.refuse("rate", std::to_string(layer.rate), "0 up to, not including, 1");
    }
    return x();
  }
  Shape operator()(const SoftmaxCrossEntropy&) const { return x(); }

 private:
  const Shape& x() const { return inputs_[0]; }
  const Place& place_;
  const std::vector<Shape>& inputs_;
};

std::int64_t weight_count(const Convolution& layer, std::int64_t channels) {
  std::int64_t count = checked_multiply(layer.filters, channels / layer.groups);
  for (const WindowDim& dim : layer.window.dims) count = checked_multiply(count, dim.kernel);
  return checked_add(count, layer.bias ? layer.filters : 0);
}

// As in files.
std::string inputs_key(const Layer& layer) {
  return has_several_inputs(layer.parameters) ? "inputs" : "input";
}

void check_name_and_inputs(const Layer& layer,
                           const std::map<std::string, LayerIndex, std::less<>>& earlier,
                           const Place& place) {
  if (layer.name.empty() || layer.name.find('/') != std::string::npos) {
    place.refuse("name", '"' + layer.name + '"', "a name that is not empty and has no \"/\"");
  }
  if (std::find(reserved_names.begin(), reserved_names.end(), layer.name) != reserved_names.end()) {
    place.refuse("name",
                 '"' + layer.name + '"',
                 "a name other than \"prev\", \"reduce\" and \"sgd\", which have a meaning");
  }
  if (layer.name == "loss" && !std::holds_alternative<SoftmaxCrossEntropy>(layer.parameters)) {
    place.refuse("name", "\"loss\"", "another name: files call the loss so");
  }
  if (earlier.contains(layer.name)) {
    place.refuse("name", '"' + layer.name + '"', "a name that no other layer has");
  }
  if (!has_valid_input_count(layer)) {
    const bool open = std::holds_alternative<Concat>(layer.parameters);
    place.refuse(inputs_key(layer),
                 std::to_string(layer.inputs.size()) + " inputs",
                 (open ? "at least " : "") + std::to_string(input_count(layer.parameters)) +
                     " for " + std::string(kind_name(layer.parameters)));
  }
}

}  // namespace

std::string_view kind_name(const LayerParameters& parameters) {
  constexpr std::array<std::string_view, std::variant_size_v<LayerParameters>> names{
      "input",
      "convolution",
      "fully_connected",
      "batch_norm",
      "relu",
      "pooling",
      "global_pooling",
      "upsample",
      "add",
      "concat",
      "dropout",
      "softmax_cross_entropy"};
  return names[parameters.index()];
}

bool has_window(const LayerParameters& parameters) {
  return std::holds_alternative<Convolution>(parameters) ||
         std::holds_alternative<FullyConnected>(parameters) ||
         std::holds_alternative<Pooling>(parameters) ||
         std::holds_alternative<GlobalPooling>(parameters);
}

bool moves_positions(const LayerParameters& parameters) {
  return has_window(parameters) || std::holds_alternative<Upsample>(parameters);
}

bool has_several_inputs(const LayerParameters& parameters) {
  return std::holds_alternative<Add>(parameters) || std::holds_alternative<Concat>(parameters);
}

Network::Network(std::string name, std::vector<Layer> layers, const std::string& file)
    : name_(std::move(name)), layers_(std::move(layers)) {
  inputs_.resize(layers_.size());
  consumers_.resize(layers_.size());
  IndexByName index_by_name;
  std::int64_t parameters = 0;
  for (LayerIndex i = 0; i < layer_count(); ++i) {
    const Place place{file, static_cast<std::size_t>(i)};
    check_name_and_inputs(layer(i), index_by_name, place);
    connect(i, index_by_name, file);
    infer_shape(i, file);
    const std::int64_t allowed = max_parameters - parameters;
    place.require(parameter_count(i) <= allowed,
                  "",
                  parameter_count(i),
                  "at most " + std::to_string(allowed) + " parameters besides those before");
    parameters += parameter_count(i);
    index_by_name.emplace(layer(i).name, i);
  }
  check_ends(file);
}

void Network::connect(LayerIndex index, const IndexByName& earlier, const std::string& file) {
  const Place place{file, static_cast<std::size_t>(index)};
  for (const std::string& input : layer(index).inputs) {
    const auto found = earlier.find(input);
    // Files may leave out the input that is the layer listed before.
    const bool is_default = found != earlier.end() && found->second == index - 1;
    const std::string key =
        is_default && layer(index).inputs.size() == 1 ? "" : inputs_key(layer(index));
    if (found == earlier.end()) {
      place.refuse(key, '"' + input + '"', "the name of a layer listed before");
    }
    if (std::holds_alternative<SoftmaxCrossEntropy>(layer_parameters(found->second))) {
      place.refuse(key, "the input \"" + input + '"', "a layer that is no loss");
    }
    inputs_[static_cast<std::size_t>(index)].push_back(found->second);
    consumers_[static_cast<std::size_t>(found->second)].push_back(index);
  }
}

void Network::infer_shape(LayerIndex index, const std::string& file) {
  const Place place{file, static_cast<std::size_t>(index)};
  std::vector<Shape> shapes;
  for (LayerIndex input : inputs_of(index)) {
    shapes.push_back(sample_shapes_[static_cast<std::size_t>(input)]);
  }
  try {
    sample_shapes_.push_back(std::visit(ShapeRule(place, shapes), layer_parameters(index)));
    volume(sample_shapes_.back());
    parameter_count(index);
  } catch (const InputError& error) {
    if (!error.problem().file.empty()) throw;
    place.refuse("", error.problem().value, error.problem().allowed);
  }
}

void Network::check_ends(const std::string& file) const {
  int losses = 0;
  int sources = 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const bool is_loss = std::holds_alternative<SoftmaxCrossEntropy>(layers_[i].parameters);
    losses += is_loss ? 1 : 0;
    sources += std::holds_alternative<Input>(layers_[i].parameters) ? 1 : 0;
    if (consumers_[i].empty() && !is_loss) {
      Place{file, i}.refuse(
          "name", '"' + layers_[i].name + '"', "a layer whose output another layer uses");
    }
  }
  const bool last_is_loss =
      !layers_.empty() && std::holds_alternative<SoftmaxCrossEntropy>(layers_.back().parameters);
  if (losses != 1 || sources != 1 || !last_is_loss) {
    throw InputError({.file = file,
                      .pointer = "/layers",
                      .value = std::to_string(sources) + " inputs and " + std::to_string(losses) +
                               " losses in " + std::to_string(layers_.size()) + " layers",
                      .allowed = "one input, and one loss as the last layer"});
  }
}

const LayerParameters& Network::layer_parameters(LayerIndex index) const {
  return layer(index).parameters;
}

const std::vector<LayerIndex>& Network::inputs_of(LayerIndex index) const {
  return inputs_.at(static_cast<std::size_t>(index));
}

const std::vector<LayerIndex>& Network::consumers_of(LayerIndex index) const {
  return consumers_.at(static_cast<std::size_t>(index));
}

LayerIndex Network::index_of(std::string_view name) const {
  const auto found = std::find_if(
      layers_.begin(), layers_.end(), [name](const Layer& layer) { return layer.name == name; });
  return found == layers_.end() ? -1 : static_cast<LayerIndex>(found - layers_.begin());
}

Shape Network::output_shape(LayerIndex index, std::int64_t batch) const {
  Shape shape = sample_shapes_.at(static_cast<std::size_t>(index));
  shape[Dim::n] = batch;
  volume(shape);
  return shape;
}

std::int64_t Network::first_channel(LayerIndex index, std::size_t input) const {
  if (!std::holds_alternative<Concat>(layer_parameters(index))) return 0;
  std::int64_t channel = 0;
  for (std::size_t i = 0; i < input; ++i) {
    channel += output_shape(inputs_of(index).at(i), 1)[Dim::c];
  }
  return channel;
}

Window Network::window_of(LayerIndex index) const {
  return window_for(layer(index).parameters, output_shape(inputs_of(index).at(0), 1));
}

std::int64_t Network::parameter_count(LayerIndex index) const {
  const LayerParameters& parameters = layer(index).parameters;
  if (std::holds_alternative<BatchNorm>(parameters))
    return checked_multiply(2, output_shape(index, 1)[Dim::c]);
  const bool is_convolution = std::holds_alternative<Convolution>(parameters);
  if (!is_convolution && !std::holds_alternative<FullyConnected>(parameters)) return 0;
  const std::int64_t channels = output_shape(inputs_of(index).at(0), 1)[Dim::c];
  if (is_convolution) return weight_count(std::get<Convolution>(parameters), channels);
  const auto& full = std::get<FullyConnected>(parameters);
  return weight_count({.filters = full.outputs, .window = window_of(index), .bias = full.bias},
                      channels);
}

std::int64_t Network::parameter_count() const {
  std::int64_t count = 0;
  for (LayerIndex i = 0; i < layer_count(); ++i) count = checked_add(count, parameter_count(i));
  return count;
}

}  // namespace cnnplan
