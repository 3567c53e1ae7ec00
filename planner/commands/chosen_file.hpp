// Chooses the files that commands read when the user names none.
#pragma once

#include <string>

namespace cnnplan {

inline constexpr const char* default_platform_file = "platform.json";
inline constexpr const char* default_profile_file = "profile.json";

// Returns the file that the user named, else the default if it exists, else an empty name.
// @throws IoError when this cannot be found out
std::string chosen_file(const std::string& named, const std::string& standard);

}  // namespace cnnplan
