// Chooses the files that commands read when the user names none.
#pragma once

#include <string>

namespace cnnplan {

inline constexpr const char* default_platform_file = "platform.json";
inline constexpr const char* default_profile_file = "profile.json";

// Returns the file that the user named, else the default if it exists, else an empty name. A
// platform may have the name of a shipped one, such as "dgx-h100".
// @throws IoError when the default file cannot be examined, or a named platform does not exist
std::string file_or_default(const std::string& named, const std::string& standard);

}  // namespace cnnplan
