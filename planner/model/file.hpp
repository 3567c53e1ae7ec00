// Whole files, in and out.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// @throws IoError when the file is missing or unreadable.
std::string read_file(const std::string& file);
// Writes beside `file` and renames: the file is there whole or not at all. @throws IoError
void write_file(const std::string& file, std::string_view content);
// Lower-case hex of the SHA-256 of `content`.
std::string sha256(std::string_view content);
// Last part of a path.
std::string base_name(std::string_view path);

}  // namespace cnnplan
