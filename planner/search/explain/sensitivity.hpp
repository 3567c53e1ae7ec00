// Finds the figures of the machine on which the choices of a plan depend.
#pragma once

#include <string>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/what_if/sensitivity.hpp"

namespace cnnplan {

// Finds, for the runner-ups of the plan's margins and each of price_figures, the factor with which
// the best plan with the runner-up takes as long as the plan. It is the factor nearest to 1, up or
// down by at most 16. Both times are the sums of price_network, priced again with the figure
// multiplied. Over the factor, these sums consist of straight lines and never fall, so that few
// factors have to be priced. A touch, and two crossings within 1 %, may be missed. Only the two
// plans are compared: a third plan may be the fastest with a smaller change. Without `layer`, the
// runner-ups with the 8 smallest margins are compared. Equal margins count once, up to 64
// runner-ups. With `layer`, only the runner-up of the unit that has this layer is compared. Layers
// whose runner-up takes less than the plan, or names no changes, are listed in
// Sensitivity::shorter.
// @pre the plan was made from `platform` and `profile`; `layer` is empty or one of the network
// @throws InputError as ComparedPlans, where the margins of the plan contradict it
Sensitivity sensitivity(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const std::string& layer = {});

}  // namespace cnnplan
