// What follows from the kind of a layer.
#include <array>

#include "planner/network/network.hpp"

namespace cnnplan {

std::string_view kind_name(const LayerParameters& parameters) {
  constexpr std::array<std::string_view, std::variant_size_v<LayerParameters>> names{
      "input",
      "convolution",
      "transposed_convolution",
      "fully_connected",
      "batch_norm",
      "relu",
      "pooling",
      "global_pooling",
      "upsample",
      "add",
      "concat",
      "slice",
      "channel_shuffle",
      "local_response_norm",
      "dropout",
      "softmax_cross_entropy",
      "mean_squared_error"};
  return names[parameters.index()];
}

bool is_loss(const LayerParameters& parameters) {
  return std::holds_alternative<SoftmaxCrossEntropy>(parameters) ||
         std::holds_alternative<MeanSquaredError>(parameters);
}

double loss_weight(const LayerParameters& loss) {
  const auto* entropy = std::get_if<SoftmaxCrossEntropy>(&loss);
  return entropy == nullptr ? std::get<MeanSquaredError>(loss).weight : entropy->weight;
}

bool has_targets(const Network& network) {
  return std::holds_alternative<MeanSquaredError>(network.layer(network.loss_layer()).parameters);
}

bool has_window(const LayerParameters& parameters) {
  return std::holds_alternative<Convolution>(parameters) ||
         std::holds_alternative<TransposedConvolution>(parameters) ||
         std::holds_alternative<FullyConnected>(parameters) ||
         std::holds_alternative<Pooling>(parameters) ||
         std::holds_alternative<GlobalPooling>(parameters);
}

bool is_transposed(const LayerParameters& parameters) {
  return std::holds_alternative<TransposedConvolution>(parameters);
}

bool moves_positions(const LayerParameters& parameters) {
  return has_window(parameters) || std::holds_alternative<Upsample>(parameters);
}

bool rearranges(const LayerParameters& parameters) {
  return std::holds_alternative<Upsample>(parameters) ||
         std::holds_alternative<ChannelShuffle>(parameters);
}

bool copies_inputs(const LayerParameters& parameters) {
  return std::holds_alternative<Concat>(parameters) || std::holds_alternative<Slice>(parameters);
}

bool has_several_inputs(const LayerParameters& parameters) {
  return std::holds_alternative<Add>(parameters) || std::holds_alternative<Concat>(parameters);
}

}  // namespace cnnplan
