// Kind by kind.
#include "planner/network/layer_shape.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "planner/base/checked.hpp"
#include "planner/network/layer_window.hpp"

namespace cnnplan {
namespace {

class ShapeRule {
 public:
  ShapeRule(const LayerPlace& place, const std::vector<Shape>& inputs)
      : place_(place), inputs_(inputs) {}

  Shape operator()(const Input& input) const {
    place_.require(input.channels >= 1, "channels", input.channels, "at least 1");
    for (std::int64_t extent : input.size)
      place_.require(extent >= 1, "size", extent, "at least 1");
    return {{1, input.channels, input.size[0], input.size[1], input.size[2]}};
  }
  Shape operator()(const Convolution& layer) const {
    check_window(layer.window, x(), place_);
    check_channels(layer.filters, layer.groups);
    return windowed_shape(layer.window, x(), layer.filters);
  }
  Shape operator()(const TransposedConvolution& layer) const {
    check_channels(layer.filters, layer.groups);
    return transposed_shape(layer, x(), place_);
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
    if (layer.align_corners && layer.mode != UpsampleMode::linear) {
      place_.refuse("align_corners", "true", "false where mode is nearest");
    }
    Shape output = x();
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      place_.require(layer.factor[i] >= 1, "factor", layer.factor[i], "at least 1");
      output[spatial_dims[i]] = checked_multiply(x()[spatial_dims[i]], layer.factor[i]);
      checked_multiply(output[spatial_dims[i]], x()[spatial_dims[i]]);  // places of aligned corners
    }
    return output;
  }
  Shape operator()(const Add& layer) const {
    if (!std::isfinite(layer.scale) || layer.scale == 0) {
      place_.refuse("scale", std::to_string(layer.scale), "finite, not 0");
    }
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
  Shape operator()(const Slice& layer) const {
    const std::int64_t count = x()[Dim::c];
    place_.require(layer.first_channel >= 0 && layer.first_channel < count,
                   "first_channel",
                   layer.first_channel,
                   "0 to " + std::to_string(count - 1) + ", a channel of the input");
    const std::int64_t most = count - layer.first_channel;
    place_.require(layer.channels >= 1 && layer.channels <= most,
                   "channels",
                   layer.channels,
                   "1 to " + std::to_string(most) + ", as many as the input has from there on");
    Shape output = x();
    output[Dim::c] = layer.channels;
    return output;
  }
  Shape operator()(const ChannelShuffle& layer) const {
    place_.require(layer.groups >= 1 && x()[Dim::c] % layer.groups == 0,
                   "groups",
                   layer.groups,
                   "a divisor of " + std::to_string(x()[Dim::c]) + " channels");
    return x();
  }
  Shape operator()(const LocalResponseNorm& layer) const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    place_.require(
        layer.size >= 1 && layer.size <= most, "size", layer.size, "1 to " + std::to_string(most));
    if (!(layer.alpha >= 0 && std::isfinite(layer.alpha))) {
      place_.refuse("alpha", std::to_string(layer.alpha), "at least 0");
    }
    if (!(layer.beta >= 0 && std::isfinite(layer.beta))) {
      place_.refuse("beta", std::to_string(layer.beta), "at least 0");
    }
    if (!(layer.k > 0 && std::isfinite(layer.k))) {
      place_.refuse("k", std::to_string(layer.k), "above 0");
    }
    return x();
  }
  Shape operator()(const Dropout& layer) const {
    if (!(layer.rate >= 0 && layer.rate < 1)) {
      place_.refuse("rate", std::to_string(layer.rate), "0 up to, not including, 1");
    }
    return x();
  }
  Shape operator()(const SoftmaxCrossEntropy& loss) const { return loss_shape(loss.weight); }
  Shape operator()(const MeanSquaredError& loss) const { return loss_shape(loss.weight); }

 private:
  const Shape& x() const { return inputs_[0]; }
  const Shape& loss_shape(double weight) const {
    if (!(weight > 0 && weight <= max_loss_weight)) {
      place_.refuse("weight", std::to_string(weight), "above 0, at most 1e6");
    }
    return x();
  }
  void check_channels(std::int64_t filters, std::int64_t groups) const {
    place_.require(filters >= 1, "filters", filters, "at least 1");
    place_.require(groups >= 1 && x()[Dim::c] % groups == 0 && filters % groups == 0,
                   "groups",
                   groups,
                   "a divisor of " + std::to_string(x()[Dim::c]) + " channels and " +
                       std::to_string(filters) + " filters");
  }

  const LayerPlace& place_;
  const std::vector<Shape>& inputs_;
};

}  // namespace

Shape sample_shape(const LayerParameters& parameters,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  return std::visit(ShapeRule(place, inputs), parameters);
}

}  // namespace cnnplan
