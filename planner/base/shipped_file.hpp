// Finds the networks and platforms that come with the programs by their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// Folders of shipped files.
inline constexpr std::string_view shipped_networks = "networks";
inline constexpr std::string_view shipped_platforms = "platforms";

// Returns the names of the files in a shipped folder without ".json", in alphabetical order. There
// are none if neither an installation nor a clone of the repository surrounds the program.
std::vector<std::string> shipped_names(std::string_view folder);

// Returns the path of a shipped file, such as "resnet50" or "resnet50.json" of shipped_networks, or
// an empty text. A name with a slash is never one of a shipped file.
// @throws IoError as file_exists()
std::string shipped_path(const std::string& name, std::string_view folder);

// Returns the path of the page that reports are written into, or an empty text if the build left it
// out.
std::string report_page_path();

// Returns `name` if such a file exists, if it holds a slash, or if there are no shipped files. Else
// returns the path of the shipped file.
// @throws IoError when there is neither, with the most similar name or all names; as file_exists()
std::string file_or_shipped(const std::string& name, std::string_view folder);

}  // namespace cnnplan
