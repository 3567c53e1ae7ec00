// Decides which files and streams a program may read, so that no input is waited for without end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cnnplan {

// Names the kind of a file that is not regular: "a folder", "a pipe", "a socket" or "a device".
const char* kind_of_file(mode_t mode);

// Checks a file before it is opened, because opening a pipe may wait forever, and a device may have
// no end. Links to regular files are allowed.
// @throws IoError when the file is missing; InputError when it is a folder, a pipe, a socket or a
// device, and for "-"
void require_regular_file(const std::string& file);
// Opens a regular file for reading, and returns its descriptor.
// @throws IoError; InputError as require_regular_file does
int open_regular_file(const std::string& file);

// Returns the descriptor of a stream that the process was started with: stdin for "-" and
// "/dev/stdin", and N for "/dev/fd/N", which is how shells write <(...), and for "/proc/self/fd/N".
// It is absent if `file` is another name, or if the descriptor is a regular file that can be opened
// by that name.
std::optional<int> inherited_stream(const std::string& file);
// Checks an open stream before it is read. Pipes, sockets and terminals are allowed, because the
// user who named the stream can end it.
// @throws IoError; InputError for a folder, and for a device that is no terminal
void require_readable_stream(int descriptor, const std::string& file);
// Checks the inputs of a command before it reads them. A stream can be read only once.
// @throws Error (usage) when two names are the same stream
void require_streams_once(const std::vector<std::string>& files);

}  // namespace cnnplan
