// Answers questions about a layer with the properties of its kind.
#include "planner/network/layer_parameters.hpp"

#include "planner/base/checked.hpp"
#include "planner/network/layers/channel_norm.hpp"
#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

const LayerTraits& traits_of(const LayerParameters& parameters) {
  if (const auto* pointwise = std::get_if<Pointwise>(&parameters)) {
    return traits_of_operator(*pointwise);
  }
  return std::visit([](const auto& layer) -> const LayerTraits& { return layer.traits; },
                    parameters);
}

std::string_view kind_name(const LayerParameters& parameters) {
  return traits_of(parameters).name;
}

bool has_several_inputs(const LayerParameters& parameters) {
  return traits_of(parameters).inputs.maximum > 1;
}

bool is_loss(const LayerParameters& parameters) {
  return traits_of(parameters).is_loss;
}

bool has_window(const LayerParameters& parameters) {
  return traits_of(parameters).has_window;
}

bool is_transposed(const LayerParameters& parameters) {
  return traits_of(parameters).is_transposed;
}

bool rearranges(const LayerParameters& parameters) {
  return traits_of(parameters).rearranges;
}

bool copies_inputs(const LayerParameters& parameters) {
  return traits_of(parameters).copies_inputs;
}

bool mixes_channels(const LayerParameters& parameters) {
  return traits_of(parameters).mixes_channels;
}

std::int64_t groups_of(const LayerParameters& parameters) {
  const auto groups = []<typename Layer>(const Layer& layer) -> std::int64_t {
    if constexpr (Layer::traits.mixes_channels && requires { layer.groups; }) return layer.groups;
    return 1;
  };
  return std::visit(groups, parameters);
}

bool has_bias(const LayerParameters& parameters) {
  const auto bias = [](const auto& layer) {
    if constexpr (requires { layer.bias; }) return layer.bias;
    return false;
  };
  return std::visit(bias, parameters);
}

double loss_weight(const LayerParameters& loss) {
  const auto weight = [](const auto& layer) {
    if constexpr (requires { layer.weight; }) return layer.weight;
    return 0.0;
  };
  return std::visit(weight, loss);
}

Window window_for(const LayerParameters& parameters, const Shape& input) {
  const auto window = [&](const auto& layer) {
    if constexpr (requires { layer.window; }) return layer.window;
    return whole_image(input);
  };
  return std::visit(window, parameters);
}

Shape sample_shape(const LayerParameters& parameters,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  return std::visit([&](const auto& layer) { return sample_shape(layer, inputs, place); },
                    parameters);
}

std::int64_t parameter_count(const LayerParameters& parameters,
                             const Shape& input,
                             const Shape& output) {
  if (std::holds_alternative<BatchNorm>(parameters)) return checked_multiply(2, output[Dim::c]);
  if (!mixes_channels(parameters)) return 0;
  const std::int64_t inputs = input[Dim::c] / groups_of(parameters);
  std::int64_t count = checked_multiply(output[Dim::c], inputs);
  for (const WindowDim& dim : window_for(parameters, input).dims) {
    count = checked_multiply(count, dim.kernel);
  }
  return checked_add(count, has_bias(parameters) ? output[Dim::c] : 0);
}

}  // namespace cnnplan
