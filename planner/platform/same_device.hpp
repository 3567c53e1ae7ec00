// Checks that kernel times and a platform describe the same device.
#pragma once

#include <string>

#include "planner/kernel/profile.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// True if the profile may price plans for the platform: if it has no kernels, if both name the same
// device, or if the platform does not say its device. The device of a platform that was described
// by hand is only the beginning of the profile's device, which also has clock rates.
bool is_of_same_device(const Platform& platform, const Profile& profile);

// Refuses a profile and a platform of different devices, which would predict neither device. `file`
// is the profile's, for errors.
// @throws InputError at "/fingerprint/device"
void check_same_device(const Platform& platform, const Profile& profile, const std::string& file);

}  // namespace cnnplan
