// Defines the layer kind `batch_norm`: normalises each channel over samples and positions.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Says which ranks share the mean and the variance of a batch norm. They have the same channels,
// replica and stage. With `local`, each rank has its own; with `spatial`, the ranks with the same
// samples share; with `global`, ranks with any samples and positions.
enum class BatchNormStatistics { local, spatial, global };

// y = scale (x - mean) / sqrt(variance + epsilon) + shift. The running values become
// (1 - momentum) running + momentum batch. Scale and shift have the shape (C).
struct BatchNorm {
  static constexpr LayerTraits traits{
      .name = "batch_norm", .reads_input_again = true, .may_recompute = true};

  double epsilon = 1e-5;  // above 0, at most 1
  double momentum = 0.1;  // weight of the mini-batch in the running values, 0 to 1
  auto operator<=>(const BatchNorm&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    constexpr NumberRange epsilon_range{.minimum = 0.0, .maximum = 1.0, .ends = Ends::open_below};
    fields.optional("epsilon", &BatchNorm::epsilon, epsilon_range);
    fields.optional("momentum", &BatchNorm::momentum, fraction_range);
  }
};

// Returns the shape of the input. @throws InputError for an impossible epsilon or momentum
Shape sample_shape(const BatchNorm& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
