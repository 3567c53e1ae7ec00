// Refuses gather methods of a plan that would not take place.
#pragma once

#include <string>

#include "planner/schedule/lower/state/lowering_context.hpp"

namespace cnnplan {

// Says which method of the layer is allowed instead of its own, such as "\"direct\"", and why.
// @throws InputError always, at the layer's gather in the plan
[[noreturn]] void refuse_gather(const LoweringContext& context,
                                LayerIndex layer,
                                const std::string& allowed,
                                const std::string& reason);

}  // namespace cnnplan
