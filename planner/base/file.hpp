// Whole files, in and out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cnnplan {

// Of what is read whole: files, pipes and terminals.
inline constexpr std::int64_t max_file_bytes = 2147483647;
// @throws IoError when the file is missing, unreadable or another device; InputError when it is
// larger than that
std::string read_file(const std::string& file);
// Writes beside `file` and renames: the file is there whole or not at all. @throws IoError
void write_file(const std::string& file, std::string_view content);
// Does nothing where write_file could put `file` there. @throws IoError where it could not
void check_writable(const std::string& file);
// The file behind symbolic links: what is replaced when `file` is written. @throws IoError
std::string behind_links(const std::string& file);
// @throws IoError where that cannot be found out.
bool file_exists(const std::string& file);
// For use before the work. @throws Error (usage) where writing `output` would replace what is read
// or written as `other`
void require_other_file(const std::string& output, const std::string& other);
// Lower-case hex of the SHA-256 of `content`.
std::string sha256(std::string_view content);
// Last part of a path.
std::string base_name(std::string_view path);

}  // namespace cnnplan
