// Checks that kernel times and a platform describe the same device, and that a plan runs on the
// device for which it was made.
#pragma once

#include <span>
#include <string>

#include "planner/base/input_file.hpp"
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

// Returns where kernels run. It is a GPU if the platform has nominal rates, or if the profile is of
// a discrete device.
DeviceKind device_kind_of(const Platform& platform, const Profile& profile);

// Names what the predicted times of a plan are for.
struct PlannedDevice {
  std::string fingerprint;            // of the profile; empty: the plan was made without one
  std::span<const InputFile> inputs;  // files from which the plan was made, the network first
};

// Returns the model that a plan is for, such as "NVIDIA H100 80GB HBM3", if `own` names a device of
// another model. Numbers of threads and clock rates do not count. Without a profile, the device is
// that of the platform, if the current folder or the shipped platforms still have its file. The
// text is empty if the models are equal, or if one of them is not known.
std::string other_model(const PlannedDevice& planned, const std::string& own);
// Returns the model of a device, without its number of threads and its clock rates.
std::string model_of(const std::string& device);

}  // namespace cnnplan
