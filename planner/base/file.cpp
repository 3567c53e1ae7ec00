// Uses POSIX calls to read, write and replace files.
#include "planner/base/file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"

namespace cnnplan {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& action) {
  throw IoError(file + ": cannot " + action + ": " + std::strerror(errno));
}

// A new file gets these permissions, reduced by the mask of the process.
constexpr mode_t new_file_mode = 0666;

constexpr std::size_t block_bytes = std::size_t{1} << 16;

// Returns a descriptor of the same stream, which may be closed.
int duplicate(int descriptor) {
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

mode_t masked(mode_t mode) {
  const mode_t mask = umask(0);
  umask(mask);
  return mode & ~mask;
}

// Owns an open file.
class Descriptor {
 public:
  Descriptor(int descriptor, const std::string& file) : descriptor_(descriptor), file_(file) {
    if (descriptor_ < 0) refuse(file_, "open");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  std::string read_all() {
    require_readable_stream(descriptor_, file_);
    require_stated_size();
    std::string content;
    std::string block(block_bytes, '\0');
    while (true) {
      const ssize_t count = ::read(descriptor_, block.data(), block.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(file_, "read");
      if (count == 0) return content;
      content.append(block, 0, count);
      require_size(std::ssize(content));
    }
  }
  void write_all(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse(file_, "write");
      content.remove_prefix(written);
    }
  }
  void set_mode(mode_t mode) {
    if (::fchmod(descriptor_, mode) != 0) refuse(file_, "set permissions");
  }
  void flush() {
    if (::fsync(descriptor_) != 0) refuse(file_, "flush to disk");
  }
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) refuse(file_, "close");
  }

 private:
  // Checks the size of a regular file before it is read.
  void require_stated_size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse(file_, "read");
    if (S_ISREG(status.st_mode)) require_size(status.st_size);
  }
  void require_size(std::int64_t bytes) const {
    if (bytes <= max_file_bytes) return;
    throw InputError({.file = file_,
                      .pointer = "",
                      .value = "more than " + std::to_string(max_file_bytes) + " bytes",
                      .allowed = "a file of at most so many"});
  }

  int descriptor_;
  const std::string& file_;
};

// Makes a file next to its destination, and removes it unless it is moved to the destination.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination)
      : destination_(destination), path_(destination + ".XXXXXX") {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor_ < 0) refuse(destination_, "create a file beside it");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!moved_) ::unlink(path_.c_str());
  }

  int descriptor() const { return descriptor_; }
  void move_to_destination() {
    if (::rename(path_.c_str(), destination_.c_str()) != 0) refuse(destination_, "replace");
    moved_ = true;
  }

 private:
  const std::string& destination_;
  std::string path_;
  int descriptor_ = -1;
  bool moved_ = false;
};

void replace_file(const std::string& file, std::string_view content, mode_t mode) {
  TemporaryFile temporary(file);
  Descriptor descriptor(temporary.descriptor(), file);
  descriptor.write_all(content);
  descriptor.set_mode(mode);
  descriptor.flush();
  descriptor.close();
  temporary.move_to_destination();
}

}  // namespace

std::string read_file(const std::string& file) {
  const std::optional<int> stream = inherited_stream(file);
  Descriptor descriptor(stream ? duplicate(*stream) : open_regular_file(file), file);
  return descriptor.read_all();
}

void write_file(const std::string& file, std::string_view content) {
  if (file == standard_stream) {
    Descriptor descriptor(duplicate(STDOUT_FILENO), file);
    descriptor.write_all(content);
    descriptor.close();
    return;
  }
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  if (!exists) {
    replace_file(file, content, masked(new_file_mode));
  } else if (S_ISREG(status.st_mode)) {
    replace_file(behind_links(file), content, status.st_mode & 07777);
  } else {
    // Devices and pipes cannot be replaced, so they are written directly.
    Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CLOEXEC), file);
    descriptor.write_all(content);
    descriptor.close();
  }
}

void check_writable(const std::string& file) {
  if (file == standard_stream) return;
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    refuse(file, "write");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    if (::access(file.c_str(), W_OK) != 0) refuse(file, "write");
    return;
  }
  const std::filesystem::path place = exists ? behind_links(file) : file;
  const std::filesystem::path folder = place.parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    refuse(file, "create a file beside it");
  }
}

std::string behind_links(const std::string& file) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(file, error);
  if (error) throw IoError(file + ": cannot follow links: " + error.message());
  return target.string();
}

bool file_exists(const std::string& file) {
  if (file == standard_stream) return true;
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) refuse(file, "look for it");
  return false;
}

void require_other_file(const std::string& output, const std::string& other) {
  namespace fs = std::filesystem;
  if (output.empty() || other.empty() || output == standard_stream) return;
  std::error_code error;
  const auto place = [](const std::string& file) {
    std::error_code unknown;  // the place is empty then
    return fs::weakly_canonical(fs::absolute(file, unknown), unknown);
  };
  bool is_same = fs::equivalent(output, other, error);
  if (error) {  // one of them does not exist yet
    const fs::path output_place = place(output);
    is_same = !output_place.empty() && output_place == place(other);
  }
  if (!is_same) return;
  throw Error(ExitCode::usage,
              output + ": would be written over what is read or written as " + other);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

std::string base_name(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path
                                                                         : path.substr(slash + 1));
}

}  // namespace cnnplan
