// Uses POSIX calls to read files and to look for them.
#include "planner/base/file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

// Returns a descriptor of the same stream, which may be closed.
int duplicate(int descriptor) {
  return ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

// Owns an open file.
class Descriptor {
 public:
  Descriptor(int descriptor, const std::string& file) : descriptor_(descriptor), file_(file) {
    if (descriptor_ < 0) throw_failed_call(file_, "open", errno);
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
      if (count < 0) throw_failed_call(file_, "read", errno);
      if (count == 0) return content;
      content.append(block, 0, count);
      require_size(std::ssize(content));
    }
  }

 private:
  // Checks the size of a regular file before it is read.
  void require_stated_size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw_failed_call(file_, "read", errno);
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

}  // namespace

std::string read_file(const std::string& file) {
  const std::optional<int> stream = inherited_stream(file);
  Descriptor descriptor(stream ? duplicate(*stream) : open_regular_file(file), file);
  return descriptor.read_all();
}

void write_file(const std::string& file, std::string_view content) {
  OutputFile(file).write(content);
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
  if (errno != ENOENT && errno != ENOTDIR) throw_failed_call(file, "look for it", errno);
  return false;
}

void require_other_file(const std::string& output, const std::string& other) {
  namespace fs = std::filesystem;
  if (output.empty() || other.empty() || is_standard_output(output)) return;
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

void throw_failed_call(const std::string& file, const std::string& action, int error) {
  throw IoError(file + ": cannot " + action + ": " + std::strerror(error));
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
