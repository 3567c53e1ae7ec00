// Checks transposed convolutions, and computes the shape of their outputs.
#include "planner/network/layers/transposed_convolution.hpp"

#include <string>

#include "planner/network/layers/convolution.hpp"
#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

Shape sample_shape(const TransposedConvolution& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  const Shape& x = inputs[0];
  check_groups(layer.filters, layer.groups, x[Dim::c], place);
  Shape output = x;
  output[Dim::c] = layer.filters;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const WindowDim& dim = layer.window.dims[i];
    check_extents(dim, place);
    place.require(layer.output_padding[i] >= 0 && layer.output_padding[i] < dim.stride,
                  "output_padding",
                  layer.output_padding[i],
                  "0 to the stride minus 1 = " + std::to_string(dim.stride - 1));
    const std::int64_t outputs =
        transposed_length(x[spatial_dims[i]], dim, layer.output_padding[i]);
    place.require(outputs >= 1,
                  "padding",
                  dim.padding_begin,
                  "padding at both ends that leaves some of " +
                      std::to_string(outputs + dim.padding_begin + dim.padding_end) + " outputs");
    output[spatial_dims[i]] = outputs;
  }
  return output;
}

}  // namespace cnnplan
