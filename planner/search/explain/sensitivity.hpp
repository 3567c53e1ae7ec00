// Which figures of the machine the choices of a plan hang on.
#pragma once

#include <string>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/what_if/sensitivity.hpp"

namespace cnnplan {

// For the runner-ups of the plan's margins and every one of price_figures, the factor nearest to 1,
// up or down by at most 16, with which the best plan with the runner-up takes as long as the plan.
// Both are the sums that price_network has, priced anew with the figure multiplied. These sums are
// pieces of straight lines over the factor, and never fall while a figure grows: that leaves few
// factors to be priced. What is no crossing but a touch, and two crossings within 1 %, may be
// missed. Only the two plans are compared, each as it is: another one may be the fastest before.
// Without `layer`: the runner-ups with the smallest margins, at most 8. With it, that of the layers
// that it is split with.
// @pre the plan was made from `platform` and `profile`; `layer` is empty or one of the network
// @throws InputError where changes of a margin do not make a plan
Sensitivity sensitivity(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const std::string& layer = {});

}  // namespace cnnplan
