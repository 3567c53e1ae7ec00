// Checks convolutions, and computes the shape of their outputs.
#include "planner/network/layers/convolution.hpp"

#include <string>

#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

void check_groups(std::int64_t filters,
                  std::int64_t groups,
                  std::int64_t channels,
                  const LayerPlace& place) {
  place.require(filters >= 1, "filters", filters, "at least 1");
  place.require(groups >= 1 && channels % groups == 0 && filters % groups == 0,
                "groups",
                groups,
                "a divisor of " + std::to_string(channels) + " channels and " +
                    std::to_string(filters) + " filters");
}

Shape sample_shape(const Convolution& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  const Shape& x = inputs[0];
  check_window(layer.window, x, place);
  check_groups(layer.filters, layer.groups, x[Dim::c], place);
  return windowed_shape(layer.window, x, layer.filters);
}

}  // namespace cnnplan
