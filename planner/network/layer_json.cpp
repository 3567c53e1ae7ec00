// Reading and writing of layer parameters.
#include "planner/network/layer_json.hpp"

#include <array>

#include "planner/json/json_writer.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr NumberRange epsilon_range{.minimum = 0.0, .maximum = 1.0, .ends = Ends::open_below};
// The end is far above what 32-bit numbers are clipped at, and below the largest of them.
constexpr NumberRange limit_range{.minimum = 0.0, .maximum = 1e30, .ends = Ends::open_below};
constexpr NumberRange scale_range{.minimum = -1e30, .maximum = 1e30};
constexpr NumberRange response_range{.minimum = 0.0, .maximum = 1e30};
constexpr NumberRange weight_range{
    .minimum = 0.0, .maximum = max_loss_weight, .ends = Ends::open_below};
constexpr NumberRange rate_range{.minimum = 0.0, .maximum = 1.0, .ends = Ends::open_above};

LayerParameters read_input(const JsonReader& layer, SpatialFormat format) {
  layer.allow_keys({"name", "kind", "channels", "size"});
  return Input{.channels = layer.at("channels").integer(extent_range),
               .size = read_spatial(layer.at("size"), format, extent_range, 1)};
}

LayerParameters read_convolution(const JsonReader& layer, SpatialFormat format) {
  layer.allow_keys({"name",
                    "kind",
                    "input",
                    "filters",
                    "kernel",
                    "stride",
                    "padding",
                    "padding_end",
                    "dilation",
                    "groups",
                    "bias"});
  Convolution convolution{.filters = layer.at("filters").integer(extent_range),
                          .window = read_window(layer, format, DefaultStride::one)};
  layer.read("groups", convolution.groups, extent_range);
  layer.read("bias", convolution.bias);
  return convolution;
}

LayerParameters read_transposed_convolution(const JsonReader& layer, SpatialFormat format) {
  layer.allow_keys({"name",
                    "kind",
                    "input",
                    "filters",
                    "kernel",
                    "stride",
                    "padding",
                    "padding_end",
                    "output_padding",
                    "dilation",
                    "groups",
                    "bias"});
  TransposedConvolution transposed{.filters = layer.at("filters").integer(extent_range),
                                   .window = read_window(layer, format, DefaultStride::one)};
  if (layer.has("output_padding")) {
    transposed.output_padding =
        read_spatial(layer.at("output_padding"), format, padding_range, padding_range.minimum);
  }
  layer.read("groups", transposed.groups, extent_range);
  layer.read("bias", transposed.bias);
  return transposed;
}

LayerParameters read_fully_connected(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "outputs", "bias"});
  FullyConnected full{.outputs = layer.at("outputs").integer(extent_range)};
  layer.read("bias", full.bias);
  return full;
}

LayerParameters read_batch_norm(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "epsilon", "momentum"});
  BatchNorm norm;
  layer.read("epsilon", norm.epsilon, epsilon_range);
  layer.read("momentum", norm.momentum, fraction_range);
  return norm;
}

LayerParameters read_relu(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "max"});
  Relu relu;
  layer.read("max", relu.max, limit_range);
  return relu;
}

LayerParameters read_pooling(const JsonReader& layer, SpatialFormat format) {
  layer.allow_keys({"name",
                    "kind",
                    "input",
                    "mode",
                    "kernel",
                    "stride",
                    "padding",
                    "padding_end",
                    "dilation",
                    "count_include_padding"});
  Pooling pooling{.window = read_window(layer, format, DefaultStride::kernel)};
  layer.read_enumerator("mode", pooling.mode);
  layer.read("count_include_padding", pooling.count_include_padding);
  return pooling;
}

LayerParameters read_global_pooling(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "mode"});
  GlobalPooling pooling;
  layer.read_enumerator("mode", pooling.mode);
  return pooling;
}

// Twice in every dim of the network.
Triple default_factor(SpatialFormat format) {
  return {format.entries == 3 ? 2 : 1, 2, 2};
}

LayerParameters read_upsample(const JsonReader& layer, SpatialFormat format) {
  layer.allow_keys({"name", "kind", "input", "factor", "mode", "align_corners"});
  Upsample upsample{.factor = default_factor(format)};
  if (layer.has("factor")) {
    upsample.factor = read_spatial(layer.at("factor"), format, extent_range, 1);
  }
  layer.read_enumerator("mode", upsample.mode);
  layer.read("align_corners", upsample.align_corners);
  return upsample;
}

LayerParameters read_add(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "inputs", "scale"});
  Add add;
  layer.read("scale", add.scale, scale_range);
  return add;
}

LayerParameters read_concat(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "inputs"});
  return Concat{};
}

LayerParameters read_slice(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "first_channel", "channels"});
  Slice slice{.channels = layer.at("channels").integer(extent_range)};
  layer.read("first_channel", slice.first_channel, count_range);
  return slice;
}

LayerParameters read_channel_shuffle(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "groups"});
  return ChannelShuffle{.groups = layer.at("groups").integer(extent_range)};
}

LayerParameters read_local_response_norm(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "size", "alpha", "beta", "k"});
  LocalResponseNorm norm{.size = layer.at("size").integer(extent_range)};
  layer.read("alpha", norm.alpha, response_range);
  layer.read("beta", norm.beta, response_range);
  layer.read("k", norm.k, limit_range);
  return norm;
}

LayerParameters read_dropout(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "rate"});
  Dropout dropout;
  layer.read("rate", dropout.rate, rate_range);
  return dropout;
}

LayerParameters read_softmax_cross_entropy(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "weight"});
  SoftmaxCrossEntropy loss;
  layer.read("weight", loss.weight, weight_range);
  return loss;
}

LayerParameters read_mean_squared_error(const JsonReader& layer, SpatialFormat) {
  layer.allow_keys({"name", "kind", "input", "weight"});
  MeanSquaredError loss;
  layer.read("weight", loss.weight, weight_range);
  return loss;
}

struct KindReader {
  LayerParameters kind;  // with default parameters
  LayerParameters (*read)(const JsonReader&, SpatialFormat);
};

const std::array<KindReader, std::variant_size_v<LayerParameters>>& kind_readers() {
  static const std::array<KindReader, std::variant_size_v<LayerParameters>> readers{{
      {Input{}, read_input},
      {Convolution{}, read_convolution},
      {TransposedConvolution{}, read_transposed_convolution},
      {FullyConnected{}, read_fully_connected},
      {BatchNorm{}, read_batch_norm},
      {Relu{}, read_relu},
      {Pooling{}, read_pooling},
      {GlobalPooling{}, read_global_pooling},
      {Upsample{}, read_upsample},
      {Add{}, read_add},
      {Concat{}, read_concat},
      {Slice{}, read_slice},
      {ChannelShuffle{}, read_channel_shuffle},
      {LocalResponseNorm{}, read_local_response_norm},
      {Dropout{}, read_dropout},
      {SoftmaxCrossEntropy{}, read_softmax_cross_entropy},
      {MeanSquaredError{}, read_mean_squared_error},
  }};
  return readers;
}

class ParameterWriter {
 public:
  ParameterWriter(OrderedJson& layer, SpatialFormat format) : layer_(layer), format_(format) {}

  void operator()(const Input& input) const {
    const auto first = input.size.end() - static_cast<std::ptrdiff_t>(format_.entries);
    layer_["channels"] = input.channels;
    layer_["size"] = std::vector<std::int64_t>(first, input.size.end());
  }
  void operator()(const Convolution& convolution) const {
    layer_["filters"] = convolution.filters;
    add_window(layer_, convolution.window, format_, DefaultStride::one);
    add("groups", convolution.groups, Convolution{}.groups);
    add("bias", convolution.bias, Convolution{}.bias);
  }
  void operator()(const TransposedConvolution& transposed) const {
    layer_["filters"] = transposed.filters;
    add_window(layer_, transposed.window, format_, DefaultStride::one);
    if (transposed.output_padding != Triple{}) {
      layer_["output_padding"] = spatial_to_json(transposed.output_padding, format_);
    }
    add("groups", transposed.groups, TransposedConvolution{}.groups);
    add("bias", transposed.bias, TransposedConvolution{}.bias);
  }
  void operator()(const FullyConnected& full) const {
    layer_["outputs"] = full.outputs;
    add("bias", full.bias, FullyConnected{}.bias);
  }
  void operator()(const BatchNorm& norm) const {
    add("epsilon", norm.epsilon, BatchNorm{}.epsilon);
    add("momentum", norm.momentum, BatchNorm{}.momentum);
  }
  void operator()(const Pooling& pooling) const {
    layer_["mode"] = to_text(pooling.mode);
    add_window(layer_, pooling.window, format_, DefaultStride::kernel);
    add("count_include_padding", pooling.count_include_padding, Pooling{}.count_include_padding);
  }
  void operator()(const GlobalPooling& pooling) const { layer_["mode"] = to_text(pooling.mode); }
  void operator()(const Upsample& upsample) const {
    if (upsample.factor != default_factor(format_)) {
      layer_["factor"] = spatial_to_json(upsample.factor, format_);
    }
    if (upsample.mode != Upsample{}.mode) layer_["mode"] = to_text(upsample.mode);
    add("align_corners", upsample.align_corners, Upsample{}.align_corners);
  }
  void operator()(const Dropout& dropout) const { layer_["rate"] = dropout.rate; }
  void operator()(const Relu& relu) const { add("max", relu.max, Relu{}.max); }
  void operator()(const Add& sum) const { add("scale", sum.scale, Add{}.scale); }
  void operator()(const Concat&) const {}
  void operator()(const Slice& slice) const {
    add("first_channel", slice.first_channel, Slice{}.first_channel);
    layer_["channels"] = slice.channels;
  }
  void operator()(const ChannelShuffle& shuffle) const { layer_["groups"] = shuffle.groups; }
  void operator()(const LocalResponseNorm& norm) const {
    const LocalResponseNorm defaults;
    layer_["size"] = norm.size;
    add("alpha", norm.alpha, defaults.alpha);
    add("beta", norm.beta, defaults.beta);
    add("k", norm.k, defaults.k);
  }
  void operator()(const SoftmaxCrossEntropy& loss) const {
    add("weight", loss.weight, SoftmaxCrossEntropy{}.weight);
  }
  void operator()(const MeanSquaredError& loss) const {
    add("weight", loss.weight, MeanSquaredError{}.weight);
  }

 private:
  template <typename T>
  void add(const char* key, const T& value, const T& absent) const {
    if (value != absent) layer_[key] = value;
  }

  OrderedJson& layer_;
  SpatialFormat format_;
};

}  // namespace

LayerParameters read_layer_parameters(const JsonReader& layer, SpatialFormat format) {
  const JsonReader kind = layer.at("kind");
  std::string names;
  for (const KindReader& reader : kind_readers()) {
    const std::string name(kind_name(reader.kind));
    if (kind.is_text(name)) return reader.read(layer, format);
    names += (names.empty() ? "\"" : ", \"") + name + '"';
  }
  kind.refuse("one of " + names);
}

void add_layer_parameters(OrderedJson& layer,
                          const LayerParameters& parameters,
                          SpatialFormat format) {
  std::visit(ParameterWriter(layer, format), parameters);
}

}  // namespace cnnplan
