// Finds the largest rates of a device, from which the least times of kernels follow.
#pragma once

#include "planner/kernel/kernel_bound.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Returns the nominal rates of the platform's device where the platform has them. Without them, the
// rates are those that were measured: of the fastest profiled convolution of this precision, and of
// the platform's copies, which read and write every byte. If the profile has no such convolution,
// the rates are those of DefaultRates. The device is device_kind_of().
DeviceRoof roof_of(const Platform& platform, const Profile& profile, Precision precision);

}  // namespace cnnplan
