// Divides the slots of a rank into ranges whose gradients are summed together.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the ranges of a rank. They hold all `slots` of the rank, in their order.
//
// A bucket takes whole layers until their tensors reach bucket_bytes. Tensors count whole, even if
// a rank has only parts of them, so all plans of a network update the same layers together. A
// bucket is reduced in parts where the group changes, and where layers with replicas meet layers on
// another mesh. Replicas must get equal bits, so their gradients need one place in sums of one size
// in all groups. Parts of other layers may differ in size between groups.
std::vector<GradientRange> gradient_ranges_of(const Plan& plan,
                                              int rank,
                                              const ParameterSlots& slots);

}  // namespace cnnplan
