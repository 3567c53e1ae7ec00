// Finds residual chains, block by block.
#include "planner/network/residual_chain.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "planner/network/channel_split.hpp"

namespace cnnplan {
namespace {

bool has_one_reader(const Network& network, LayerIndex layer) {
  return network.consumers_of(layer).size() == 1;
}

// True if a ReLU alone reads the layer. The kernel of an add would then compute this ReLU, too.
bool is_read_by_relu(const Network& network, LayerIndex layer) {
  return has_one_reader(network, layer) &&
         std::holds_alternative<Relu>(network.layer(network.consumers_of(layer)[0]).parameters);
}

// Returns the first layer of F, whose last layer is `transform`.
LayerIndex weights_of(const Network& network, LayerIndex transform) {
  const auto* relu = std::get_if<Relu>(&network.layer(transform).parameters);
  const bool passes = relu != nullptr && std::isinf(relu->max);
  return passes ? network.inputs_of(transform)[0] : transform;
}

// Returns the block that ends with `layer`, if there is one.
std::optional<ResidualBlock> block_at(const Network& network, LayerIndex layer) {
  const auto* add = std::get_if<Add>(&network.layer(layer).parameters);
  if (add == nullptr) return {};
  const LayerIndex input = network.inputs_of(layer)[0];
  const LayerIndex transform = network.inputs_of(layer)[1];
  const LayerIndex weights = weights_of(network, transform);
  const LayerParameters& parameters = network.layer(weights).parameters;
  // After a transposed convolution, a ReLU and a bias have kernels of their own.
  const bool is_block = !is_read_by_relu(network, layer) && mixes_channels(parameters) &&
                        !is_transposed(parameters) && network.inputs_of(weights)[0] == input &&
                        has_one_reader(network, weights) && has_one_reader(network, transform);
  if (!is_block) return {};
  return ResidualBlock{
      .weights = weights, .transform = transform, .sum = layer, .step = add->scale};
}

bool follows(const Network& network, const ResidualBlock& block, const ResidualBlock& before) {
  const auto& readers = network.consumers_of(before.sum);
  return network.inputs_of(block.weights)[0] == before.sum && readers.size() == 2;
}

}  // namespace

std::vector<ResidualChain> residual_chains(const Network& network) {
  std::vector<ResidualChain> chains;
  for (const LayerIndex layer : network.layers().indices()) {
    const std::optional<ResidualBlock> block = block_at(network, layer);
    if (!block) continue;
    const auto before = std::find_if(chains.begin(), chains.end(), [&](const auto& chain) {
      return follows(network, *block, chain.back());
    });
    if (before == chains.end()) {
      chains.push_back({*block});
    } else {
      before->push_back(*block);
    }
  }
  return chains;
}

ResidualChain part_of_chain(const Network& network, LayerIndex first, LayerIndex last) {
  for (const ResidualChain& chain : residual_chains(network)) {
    const auto begin = std::find_if(
        chain.begin(), chain.end(), [&](const auto& block) { return block.weights == first; });
    const auto end =
        std::find_if(begin, chain.end(), [&](const auto& block) { return block.sum == last; });
    if (end == chain.end()) continue;
    ResidualChain part(begin, end + 1);
    LayerIndex next = first;
    for (const ResidualBlock& block : part) {
      const int layers = block.transform == block.weights ? 2 : 3;
      if (block.weights != next || block.sum != next + layers - 1) return {};
      next += layers;
    }
    return part;
  }
  return {};
}

}  // namespace cnnplan
