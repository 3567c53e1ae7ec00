// Checks upsamplings, and computes the shape of their outputs.
#include "planner/network/layers/upsample.hpp"

#include "planner/base/checked.hpp"

namespace cnnplan {

Shape sample_shape(const Upsample& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  const Shape& x = inputs[0];
  if (layer.align_corners && layer.mode != UpsampleMode::linear) {
    place.refuse("align_corners", "true", "false where mode is nearest");
  }
  Shape output = x;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    place.require(layer.factor[i] >= 1, "factor", layer.factor[i], "at least 1");
    output[dim] = checked_multiply(x[dim], layer.factor[i]);
    // Aligned corners multiply positions of outputs with lengths of inputs.
    checked_multiply(output[dim], x[dim]);
  }
  return output;
}

}  // namespace cnnplan
