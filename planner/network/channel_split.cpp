// Names of channel algorithms, and the layers that refuse them.
#include "planner/network/channel_split.hpp"

#include <stdexcept>

#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

// Filters of a group are consecutive.
bool is_cut_at_groups(std::int64_t filters, std::int64_t groups, int parts) {
  const std::int64_t size = filters / groups;
  for (int i = 0; i < parts; ++i) {
    const Range block = block_range(filters, parts, i);
    if (block.size() == 0) continue;
    const bool whole_groups = block.begin % size == 0 && block.end % size == 0;
    const bool in_one_group = block.begin / size == (block.end - 1) / size;
    if (!whole_groups && !in_one_group) return false;
  }
  return true;
}

// Of stationary_w.
std::string refusal_in_both(const Network& network, LayerIndex layer, int parts) {
  const int of_inputs = input_parts(ChannelAlgorithm::stationary_w, parts);
  if (of_inputs == 1) {
    return "a number of parts of c that has two factors, since the weight is cut in both "
           "directions";
  }
  const std::int64_t inputs = network.output_shape(network.inputs_of(layer)[0], 1)[Dim::c];
  const std::int64_t outputs = network.output_shape(layer, 1)[Dim::c];
  if (parts <= outputs && of_inputs <= inputs) return {};
  return "no more parts of c than channels (" + std::to_string(outputs) + ", and for " +
         std::to_string(of_inputs) + " parts of them " + std::to_string(inputs) + " of its input)";
}

}  // namespace

std::string_view to_text(ChannelAlgorithm algorithm) {
  switch (algorithm) {
    case ChannelAlgorithm::stationary_y:
      return "stationary_y";
    case ChannelAlgorithm::stationary_x:
      return "stationary_x";
    case ChannelAlgorithm::stationary_w:
      return "stationary_w";
  }
  throw std::logic_error("unknown channel algorithm");
}

int input_parts(ChannelAlgorithm algorithm, int parts) {
  if (algorithm == ChannelAlgorithm::stationary_y) return 1;
  if (algorithm == ChannelAlgorithm::stationary_x) return parts;
  int largest = 1;
  for (int divisor = 2; divisor * divisor <= parts; ++divisor) {
    if (parts % divisor == 0) largest = divisor;
  }
  return largest;
}

bool mixes_channels(const LayerParameters& parameters) {
  return std::holds_alternative<Convolution>(parameters) ||
         std::holds_alternative<TransposedConvolution>(parameters) ||
         std::holds_alternative<FullyConnected>(parameters);
}

std::int64_t groups_of(const LayerParameters& parameters) {
  if (const auto* convolution = std::get_if<Convolution>(&parameters)) return convolution->groups;
  const auto* transposed = std::get_if<TransposedConvolution>(&parameters);
  return transposed == nullptr ? 1 : transposed->groups;
}

bool has_bias(const LayerParameters& parameters) {
  if (const auto* convolution = std::get_if<Convolution>(&parameters)) return convolution->bias;
  const auto* transposed = std::get_if<TransposedConvolution>(&parameters);
  return transposed == nullptr ? std::get<FullyConnected>(parameters).bias : transposed->bias;
}

std::string channel_split_refusal(const Network& network,
                                  LayerIndex layer,
                                  int parts,
                                  ChannelAlgorithm algorithm) {
  if (parts == 1) return {};
  const LayerParameters& parameters = network.layer(layer).parameters;
  if (std::holds_alternative<Input>(parameters)) {
    return "axes n d h w r: samples are read with all their channels";
  }
  if (is_loss(parameters)) {
    return "axes n d h w r: labels and targets are read with all their channels";
  }
  if (std::holds_alternative<ChannelShuffle>(parameters)) {
    return "axes n d h w r: a channel shuffle moves channels of all parts to all parts";
  }
  if (std::holds_alternative<LocalResponseNorm>(parameters)) {
    return "axes n d h w r: a local response norm sums channels of other parts";
  }
  const std::int64_t groups = groups_of(parameters);
  if (groups > 1 && algorithm != ChannelAlgorithm::stationary_y) {
    return "stationary_y, since the convolution has groups";
  }
  if (algorithm == ChannelAlgorithm::stationary_w) return refusal_in_both(network, layer, parts);
  if (groups == 1) return {};
  const std::int64_t filters = network.output_shape(layer, 1)[Dim::c];
  if (is_cut_at_groups(filters, groups, parts)) return {};
  return "parts of c that are whole groups of filters, or parts of one group (" +
         std::to_string(groups) + " groups of " + std::to_string(filters / groups) + ")";
}

}  // namespace cnnplan
