// Chooses the files that commands read when the user names none.
#pragma once

#include <string>

namespace cnnplan {

inline constexpr const char* default_platform_file = "platform.json";
inline constexpr const char* default_profile_file = "profile.json";

// Returns the file that the user named, else the default if it exists, else an empty name.
// @throws IoError when the default file cannot be examined
std::string file_or_default(const std::string& named, const std::string& standard);

}  // namespace cnnplan
