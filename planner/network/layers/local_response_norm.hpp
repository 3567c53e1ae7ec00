// Defines the layer kind `local_response_norm`: divides values by sums over neighbouring channels.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// y = x (k + alpha / size * sum of squares)^-beta. The sum is over `size` channels: (size - 1) / 2
// of them, rounded down, lie before the channel of x. At both ends there are fewer channels.
// Krizhevsky et al. 2012 do not divide by the size.
struct LocalResponseNorm {
  static constexpr LayerTraits traits{
      .name = "local_response_norm",
      .reads_input_again = true,
      .chooses_split = true,
      .channel_split_refusal = "a local response norm sums channels of other parts"};

  std::int64_t size = 5;  // in channels
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1.0;
  auto operator<=>(const LocalResponseNorm&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    constexpr NumberRange range{.minimum = 0.0, .maximum = 1e30};
    fields.required("size", &LocalResponseNorm::size, extent_range);
    fields.optional("alpha", &LocalResponseNorm::alpha, range);
    fields.optional("beta", &LocalResponseNorm::beta, range);
    fields.optional("k", &LocalResponseNorm::k, positive_range);
  }
};

// Returns the shape of the input. @throws InputError for impossible numbers
Shape sample_shape(const LocalResponseNorm& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
