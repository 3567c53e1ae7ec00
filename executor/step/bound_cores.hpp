// Counts the cores that this rank is bound to, and says where a schedule needs more of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "executor/backend/device.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns on how many cores the operating system lets this process run; 1 where it does not say.
int bound_cores();

// Returns advice for the user if `lanes` run at the same time on the host, on fewer cores than
// lanes. Returns nothing otherwise, and for a device with memory of its own.
std::optional<std::string> few_cores(int lanes, const Device& device);

// Passes the advice of few_cores(), if there is any, for the lanes of a schedule to `note`. It does
// nothing if `note` is empty.
void tell_few_cores(const Schedule& schedule,
                    const Device& device,
                    const std::function<void(const std::string& text)>& note);

}  // namespace cnnplan
