// Looks at the kind of a file by POSIX calls, before and after it is opened.
#include "planner/base/readable_file.hpp"

#include <cerrno>
#include <map>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/standard_stream.hpp"

namespace cnnplan {
namespace {

[[noreturn]] void refuse_kind(const std::string& file, mode_t mode, const std::string& allowed) {
  throw InputError({.file = file, .pointer = "", .value = kind_of_file(mode), .allowed = allowed});
}

void require_regular(const std::string& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) refuse_kind(file, status.st_mode, "a regular file");
}

// Returns the number of the descriptor that a name stands for.
std::optional<int> named_descriptor(std::string_view name) {
  if (name == standard_stream || name == "/dev/stdin") return STDIN_FILENO;
  return numbered_descriptor(name);
}

}  // namespace

const char* kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void require_regular_file(const std::string& file) {
  if (file == standard_stream) {
    throw InputError(
        {.file = file, .pointer = "", .value = "standard input", .allowed = "a regular file"});
  }
  if (!file_exists(file)) throw IoError(file + ": no such file");
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw_failed_call(file, "look at it", errno);
  require_regular(file, status);
}

int open_regular_file(const std::string& file) {
  require_regular_file(file);
  // The file may have been replaced by a pipe since, for whose writer this flag does not wait.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw_failed_call(file, "open", errno);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  ::close(descriptor);
  require_regular(file, status);
  throw_failed_call(file, "look at it", errno);
}

std::optional<int> inherited_stream(const std::string& file) {
  const std::optional<int> descriptor = named_descriptor(file);
  if (!descriptor || file == standard_stream) return descriptor;
  struct stat status {};
  const bool is_stream = ::fstat(*descriptor, &status) == 0 && !S_ISREG(status.st_mode);
  return is_stream ? descriptor : std::nullopt;
}

void require_readable_stream(int descriptor, const std::string& file) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw_failed_call(file, "read", errno);
  const bool is_device = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  if (S_ISDIR(status.st_mode) || (is_device && ::isatty(descriptor) == 0)) {
    refuse_kind(file, status.st_mode, "a regular file, a pipe or a terminal");
  }
}

void require_streams_once(const std::vector<std::string>& files) {
  std::map<int, std::string> named;
  for (const std::string& file : files) {
    const std::optional<int> descriptor = inherited_stream(file);
    if (!descriptor) continue;
    const auto [first, is_new] = named.emplace(*descriptor, file);
    if (is_new) continue;
    throw Error(ExitCode::usage,
                file + ": the stream is read as " + first->second +
                    " already; a stream can be one input only");
  }
}

}  // namespace cnnplan
