// Looks at the kind of an output by POSIX calls that do not wait.
#include "planner/base/writable_file.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"

namespace cnnplan {
namespace {

constexpr const char* no_reader = "cannot write to a pipe that nobody reads";

[[noreturn]] void refuse_output(const std::string& file, const std::string& problem) {
  throw IoError(file + ": " + problem);
}

std::optional<mode_t> kind_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return status.st_mode & S_IFMT;
  return std::nullopt;
}

[[noreturn]] void refuse_output_kind(const std::string& file, mode_t kind) {
  const std::string name = kind == S_IFBLK ? "a disk" : kind_of_file(kind);
  refuse_output(file, "cannot write to " + name);
}

// Opens a pipe or a device. Neither the reader of a pipe nor the carrier of a line is waited for.
int opened_at_once(const std::string& file) {
  return ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

// Shells start the writer and the reader of a pipe in any order.
int opened_pipe(const std::string& file) {
  using std::chrono::milliseconds;
  constexpr milliseconds patience{500};
  constexpr milliseconds pause{10};
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    const int descriptor = opened_at_once(file);
    if (descriptor >= 0 || errno != ENXIO) return descriptor;
    if (std::chrono::steady_clock::now() >= end) refuse_output(file, no_reader);
    std::this_thread::sleep_for(pause);
  }
}

// Writing waits for a slow reader again.
int waiting(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

std::optional<int> inherited_output(const std::string& file) {
  if (is_standard_output(file)) return STDOUT_FILENO;
  if (file == "/dev/stderr") return STDERR_FILENO;
  return numbered_descriptor(file);
}

int duplicate_output(int descriptor, const std::string& file) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) throw_failed_call(file, "write", EBADF);
  pollfd state{.fd = descriptor, .events = POLLOUT, .revents = 0};
  // A reader of stdout that has left ends the program by a signal, as it ends every filter.
  const bool is_lost = ::poll(&state, 1, 0) > 0 && (state.revents & POLLERR) != 0;
  if (is_lost && descriptor != STDOUT_FILENO) refuse_output(file, no_reader);
  const int duplicate = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) throw_failed_call(file, "open", errno);
  return duplicate;
}

}  // namespace

void require_replaceable_file(const std::string& file) {
  const std::optional<mode_t> kind = kind_of(file);
  if (kind && *kind != S_IFREG) refuse_output_kind(file, *kind);
  const std::filesystem::path place = kind ? behind_links(file) : file;
  const std::filesystem::path folder = place.parent_path();
  if (place.empty() || ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    throw_failed_call(file, "create a file beside it", place.empty() ? ENOENT : errno);
  }
}

std::optional<int> open_output_stream(const std::string& file) {
  if (const std::optional<int> stream = inherited_output(file)) {
    return duplicate_output(*stream, file);
  }
  const std::optional<mode_t> kind = kind_of(file);
  if (!kind || *kind == S_IFREG) return std::nullopt;
  if (*kind != S_IFIFO && *kind != S_IFCHR) refuse_output_kind(file, *kind);
  const int descriptor = *kind == S_IFIFO ? opened_pipe(file) : opened_at_once(file);
  if (descriptor < 0) throw_failed_call(file, "open", errno);
  return waiting(descriptor);
}

void write_all(int descriptor, std::span<const std::byte> bytes, const std::string& file) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_failed_call(file, "write", errno);
    bytes = bytes.subspan(written);
  }
}

int open_own_file(const std::string& file) {
  // The flags refuse links, and pipes that nobody reads.
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, new_file_mode);
  if (descriptor < 0) throw_failed_call(file, "open", errno);
  struct stat status {};
  const bool is_known = ::fstat(descriptor, &status) == 0;
  const bool is_regular = is_known && S_ISREG(status.st_mode);
  if (is_regular && ::ftruncate(descriptor, 0) == 0) return waiting(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (is_regular || !is_known) throw_failed_call(file, "make empty", error);
  refuse_output_kind(file, status.st_mode & S_IFMT);
}

}  // namespace cnnplan
