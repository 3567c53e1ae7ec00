// The files that commands read when none is named.
#pragma once

#include <string>

namespace cnnplan {

inline constexpr const char* default_platform_file = "platform.json";
inline constexpr const char* default_profile_file = "profile.json";

// The file that the user named, the default where it exists, or none (empty).
// @throws IoError where that cannot be found out
std::string chosen_file(const std::string& named, const std::string& standard);

}  // namespace cnnplan
