// Limits the weight of a loss among the losses of a network.
#pragma once

#include <string>

#include "planner/base/number_range.hpp"
#include "planner/network/rules/layer_place.hpp"

namespace cnnplan {

inline constexpr double max_loss_weight = 1e6;
inline constexpr NumberRange loss_weight_range{
    .minimum = 0.0, .maximum = max_loss_weight, .ends = Ends::open_below};

// Checks a weight, which `place` names in errors.
// @throws InputError unless the weight is above 0 and at most max_loss_weight
inline void check_loss_weight(double weight, const LayerPlace& place) {
  if (!(weight > 0 && weight <= max_loss_weight)) {
    place.refuse("weight", std::to_string(weight), "above 0, at most 1e6");
  }
}

}  // namespace cnnplan
