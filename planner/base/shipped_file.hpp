// Finds the networks and platforms that come with the programs by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// Names of the folders of shipped files. The functions below take one of them as `folder`.
inline constexpr std::string_view shipped_networks = "networks";
inline constexpr std::string_view shipped_platforms = "platforms";

// Returns the names of the files in a shipped folder without ".json", in alphabetical order. There
// are none if neither an installation nor a clone of the repository surrounds the program.
std::vector<std::string> shipped_names(std::string_view folder);

// Returns the path of a shipped file, which may be named with or without ".json": "resnet50" of
// shipped_networks. The text is empty if there is no such file, or if the name has a slash.
// @throws IoError as file_exists()
std::string shipped_path(const std::string& name, std::string_view folder);

// Returns the path of the page that reports are written into, or an empty text if the build left it
// out.
std::string report_page_path();

// Finds the file that a user means. A file `name` of the user has priority, and a name with a slash
// is never a shipped one. Both are returned as they are, and so is any name if nothing was shipped.
// Otherwise, returns the path of the shipped file `name`.
// @throws IoError as file_exists(), and if neither file exists. Then the message suggests the most
// similar shipped name, or lists all.
std::string file_or_shipped(const std::string& name, std::string_view folder);

}  // namespace cnnplan
