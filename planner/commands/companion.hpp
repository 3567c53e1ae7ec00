// Programs beside this one that need libraries which cnnplan does without.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Its path. @throws EnvironmentError when it is not there
std::string companion_path(const std::string& name);

// Replaces this process by it. @throws EnvironmentError when it cannot be started
[[noreturn]] void run_companion(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace cnnplan
