// Compares the predicted time of every kernel of a step with the least time that its device allows.
#pragma once

#include "planner/kernel/profile.hpp"
#include "planner/plan/roofline.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

// Returns the kernels of a rank whose kernels take longest, with their bounds by roof_of(). Where
// the rates of the platform know a method that saves operations, the bound is that of this method.
// So no kernel that is estimated by these rates is below its bound. The bytes are those of the
// channels that the device stores (planner/schedule/stored_samples.hpp). Kernels without outputs
// are left out. If c kernels run at the same time, each one counts with a c-th of its time, since
// they share the device.
// @pre validate(plan) holds; the prices are those of `profile`
Roofline bounded_kernels(const Plan& plan, const PriceList& prices, const Profile& profile);

}  // namespace cnnplan
