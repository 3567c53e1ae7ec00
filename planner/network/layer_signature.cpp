// Collects the properties of a layer and of one of its inputs from a network.
#include "planner/network/layer_signature.hpp"

#include <algorithm>

namespace cnnplan {

WindowBlock DimSignature::needed(Range outputs) const {
  if (upsample.factor > 1) return upsample_block(outputs, input_length, upsample);
  return (transposed ? transposed_block : window_block)(outputs, input_length, window);
}

DimSignature LayerSignature::along(Dim dim) const {
  DimSignature result{.input_length = input[dim],
                      .output_length = output[dim],
                      .first = dim == Dim::c ? first_channel : 0};
  const auto* const spatial = std::find(spatial_dims.begin(), spatial_dims.end(), dim);
  if (spatial == spatial_dims.end()) return result;
  const auto i = static_cast<std::size_t>(spatial - spatial_dims.begin());
  result.window = window.dims[i];
  result.upsample = upsample[i];
  result.transposed = traits.is_transposed;
  return result;
}

LayerSignature signature_of(const Network& network,
                            LayerIndex layer,
                            std::size_t input,
                            std::int64_t batch) {
  const LayerParameters& parameters = network.layer(layer).parameters;
  LayerSignature signature{.traits = traits_of(parameters),
                           .input = network.output_shape(network.inputs_of(layer).at(input), batch),
                           .output = network.output_shape(layer, batch),
                           .groups = groups_of(parameters),
                           .first_channel = network.first_channel(layer, input)};
  if (signature.traits.has_window) signature.window = network.window_of(layer);
  if (const auto* upsample = std::get_if<Upsample>(&parameters)) {
    signature.upsample = upsample->dims();
  }
  // A gate is repeated at all positions, as by an upsampling.
  if (std::holds_alternative<Pointwise>(parameters) && is_gate(signature.input, signature.output)) {
    signature.traits.resizes = true;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      signature.upsample[i].factor = signature.output[spatial_dims[i]];
    }
  }
  return signature;
}

}  // namespace cnnplan
