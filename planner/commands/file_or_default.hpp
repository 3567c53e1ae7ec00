// Chooses the files that commands read when the user names none.
#pragma once

#include <string>

namespace cnnplan {

inline constexpr const char* default_platform_file = "platform.json";
inline constexpr const char* default_profile_file = "profile.json";

// Returns the file that the user named, else `standard` if it exists, else an empty name. Where
// `standard` is default_platform_file, the user may name a shipped platform, such as "dgx-h100".
// @throws IoError when the default file cannot be examined, or a named platform does not exist
std::string file_or_default(const std::string& named, const std::string& standard);

}  // namespace cnnplan
