// Names work before it first runs on a device, and finds out whether the device survived its error.
#pragma once

#include <string>

#include "executor/backend/device.hpp"
#include "planner/base/error.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Returns "first run of convolution/forward ...". `engine` is empty for an own kernel; with the
// name of an engine, the text is "first run of engine 38 k2=5 for convolution/forward ...".
// Programs write it to a log, since the run may end the process or hang.
std::string first_run_of(const std::string& engine, const KernelSpec& spec);

// Finds out whether the device still works after the work `what` threw `error`. It blocks, and
// returns if other work can follow.
// @throws DeviceLostError if the device does not answer any more. Its culprit is `what`, unless
// `error` is a DeviceLostError with a culprit
void require_answer(Device& device, const std::string& what, const Error& error);

}  // namespace cnnplan::cudnn
