// Derives the mini-batch that a network takes from its input and its loss.
#include "executor/data/data_source.hpp"

#include <stdexcept>
#include <variant>

namespace cnnplan {
namespace {

LayerIndex input_layer(const Network& network) {
  for (const LayerIndex index : network.layers().indices()) {
    if (std::holds_alternative<Input>(network.layer(index).parameters)) return index;
  }
  throw std::logic_error("a network without input");
}

}  // namespace

BatchShape batch_shape(const Network& network, std::int64_t batch, Precision precision) {
  const LayerIndex logits_layer = network.inputs_of(network.loss_layer()).at(0);
  const Shape logits = network.output_shape(logits_layer, batch);
  BatchShape shape{.samples = network.output_shape(input_layer(network), batch),
                   .labels = logits,
                   .classes = logits[Dim::c],
                   .precision = precision};
  shape.has_targets = has_targets(network);
  if (!shape.has_targets) shape.labels[Dim::c] = 1;
  return shape;
}

}  // namespace cnnplan
