// Divides the slots of a rank into ranges whose gradients are summed together.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Slots join the open bucket until their whole tensors fill it, also where a rank has only parts of
// these tensors. All plans of a network therefore update the same layers together. A bucket is
// reduced in parts where the group changes, and where layers with replicas meet other layers. The
// sums of replicas have to stand at one place of sums of one size in all groups, but slices of the
// other layers may differ between groups.
std::vector<GradientRange> gradient_ranges_of(const Plan& plan,
                                              int rank,
                                              const ParameterSlots& slots);

}  // namespace cnnplan
