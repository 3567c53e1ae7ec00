// Reads and writes whole files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cnnplan {

// Files, pipes and terminals that are read as a whole have at most this size.
inline constexpr std::int64_t max_file_bytes = 2147483647;

// The name standard_stream ("-") stands for stdin where a function below reads, and for stdout
// where it writes.

// Returns the content of a regular file, or of a stream that the process was started with.
// @throws IoError when the file is missing or unreadable; InputError when it is of a kind that
// readable_file.hpp refuses, or larger than max_file_bytes
std::string read_file(const std::string& file);
// Writes an output as OutputFile does, for which nothing was checked before. @throws IoError
void write_file(const std::string& file, std::string_view content);
// Returns the target of symbolic links, which is replaced when `file` is written.
// @throws IoError when `file` or a target does not exist
std::string behind_links(const std::string& file);
// Returns true if the file, folder or device exists, and for standard_stream.
// @throws IoError when this cannot be found out
bool file_exists(const std::string& file);
// Checks two names before a command does its work. Empty names pass, and so does stdout as
// `output`.
// @throws Error (usage) when writing `output` would replace the file that is read or written as
// `other`
void require_other_file(const std::string& output, const std::string& other);
// Throws "FILE: cannot ACTION: REASON" for a call of the system. `error` is errno after the call.
// @throws IoError
[[noreturn]] void throw_failed_call(const std::string& file, const std::string& action, int error);
// Returns the SHA-256 of `content` in lower-case hex.
std::string sha256(std::string_view content);
// Returns the text without the UTF-8 byte order mark with which some editors begin files. Other
// texts are returned as they are.
std::string_view without_byte_order_mark(std::string_view text);
// Returns the last part of a path: "c" of "a/b/c" and of "a/b/c/". The path "/" is its own last
// part.
std::string base_name(std::string_view path);

}  // namespace cnnplan
