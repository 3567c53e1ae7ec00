// Decides which files and streams a program may write, so that no output is waited for without end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace cnnplan {

// New files get these permissions, reduced by the mask of the process.
inline constexpr mode_t new_file_mode = 0666;

// Checks that a program can replace a file as a whole: it is absent or regular, and its folder
// takes another file. Links are followed. @throws IoError
void require_replaceable_file(const std::string& file);

// Opens an output that cannot be replaced, and returns a descriptor that the caller closes. These
// outputs are a stream that the process was started with, a pipe, and a device such as a terminal.
// A pipe gets half a second for its reader. It is absent if `file` is absent or regular.
// @throws IoError for folders, sockets, disks, and pipes without a reader
std::optional<int> open_output_stream(const std::string& file);

// Writes all bytes to an open output. `file` names it in errors. @throws IoError
void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& file);

// Opens a file under a name of the program's own, makes it empty, and returns its descriptor.
// @throws IoError when the name belongs to a link or to another kind of file
int open_own_file(const std::string& file);

}  // namespace cnnplan
