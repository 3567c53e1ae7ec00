// Maps Resize and Upsample to upsampling layers with integer factors.
#include <cmath>
#include <string>

#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

// Returns true if output o of every row is input floor(o / factor), for every factor.
bool is_floor(const NodeReader& node) {
  if (node.opset() < 11) return true;
  const std::string where = node.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = node.text("nearest_mode", "round_prefer_floor");
  if (where == "asymmetric" || where == "tf_half_pixel_for_nn") return rounding == "floor";
  const bool is_centred = where == "half_pixel" || where == "pytorch_half_pixel";
  return is_centred && rounding.starts_with("round_prefer");
}

// Returns `upsample`, which has the factors, with the mode of the node.
Upsample with_mode(const NodeReader& node, Upsample upsample) {
  const std::string mode = node.text("mode", "nearest");
  const std::string where =
      node.opset() < 11 ? "asymmetric" : node.text("coordinate_transformation_mode", "half_pixel");
  if (mode == "nearest") {
    if (!is_floor(node)) {
      throw UnmappedNode("repeats an input other than the nearest neighbour of layers");
    }
    return upsample;
  }
  if (mode != "linear")
    throw UnmappedNode("interpolates by mode " + mode + "; layers interpolate linearly");
  node.has_no_effect({"nearest_mode"});
  upsample.mode = UpsampleMode::linear;
  upsample.align_corners = where == "align_corners";
  if (!upsample.align_corners && where != "half_pixel" && where != "pytorch_half_pixel") {
    throw UnmappedNode("interpolates at coordinates by " + where +
                       "; layers use half_pixel and align_corners");
  }
  return upsample;
}

Value add_upsampling(const NodeReader& node,
                     NetworkBuilder& network,
                     const std::vector<double>& scales) {
  const Activation x = node.activation(0);
  if (!is_plain(x.dims, network.shape(x.layer)) || scales.size() != x.dims.size()) {
    throw UnmappedNode("needs a factor for each dim of an image");
  }
  constexpr double most = 1 << 20;
  Upsample upsample{.factor = {1, 1, 1}};
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const bool is_factor =
        scales[i] >= 1 && scales[i] <= most && scales[i] == std::floor(scales[i]);
    if (!is_factor || (i < 2 && scales[i] != 1)) {
      throw UnmappedNode("scales dim " + std::to_string(i) + " by " + std::to_string(scales[i]) +
                         "; only images are scaled, by integers");
    }
    if (i >= 2) upsample.factor[i + 3 - scales.size()] = static_cast<std::int64_t>(scales[i]);
  }
  upsample = with_mode(node, upsample);
  if (upsample.factor == Upsample{.factor = {1, 1, 1}}.factor) return x;
  return network.add_layer(node, upsample, {x});
}

std::vector<double> scales_of_sizes(const std::vector<std::int64_t>& sizes, const Activation& x) {
  if (sizes.size() != x.dims.size()) throw UnmappedNode("needs a size for each dim");
  std::vector<double> scales;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(x.dims[i]));
  }
  return scales;
}

}  // namespace

Value map_resize(const NodeReader& node, NetworkBuilder& network) {
  if (node.has("axes")) throw UnmappedNode("scales along listed axes");
  require_text(node, "keep_aspect_ratio_policy", "stretch");
  require_integer(node, "antialias", 0);
  require_integer(node, "exclude_outside", 0);
  // These belong to the modes cubic and tf_crop_and_resize, which are refused.
  node.has_no_effect({"cubic_coeff_a", "extrapolation_value"});
  const auto scales = node.reals_at(node.opset() < 11 ? 1 : 2);
  if (scales && !scales->empty()) return add_upsampling(node, network, *scales);
  const auto sizes = node.integers_at(3);
  if (!sizes) throw UnmappedNode("neither scales nor sizes");
  return add_upsampling(node, network, scales_of_sizes(*sizes, node.activation(0)));
}

Value map_upsample(const NodeReader& node, NetworkBuilder& network) {
  refuse_both(node, "scales", 1);
  if (!node.has("scales")) {
    return add_upsampling(node, network, node.reals_at(1).value_or(std::vector<double>{}));
  }
  const std::vector<float> scales = node.reals("scales");
  return add_upsampling(node, network, {scales.begin(), scales.end()});
}

}  // namespace cnnplan
