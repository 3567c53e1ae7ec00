// Names the channel algorithms, and decides which layers may use them.
#include "planner/network/channel_split.hpp"

#include <stdexcept>

#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

// True where each part consists of whole groups, or of filters of one group. The filters of a group
// are consecutive.
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

// Returns what stationary_w needs instead of these parts; empty where they are valid.
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

std::string channel_split_refusal(const Network& network,
                                  LayerIndex layer,
                                  int parts,
                                  ChannelAlgorithm algorithm) {
  if (parts == 1) return {};
  const LayerParameters& parameters = network.layer(layer).parameters;
  const std::string_view refusal = traits_of(parameters).channel_split_refusal;
  if (!refusal.empty()) return "axes n d h w r: " + std::string(refusal);
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
