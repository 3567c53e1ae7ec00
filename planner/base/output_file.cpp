// Uses POSIX calls to write streams and to replace files.
#include "planner/base/output_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/writable_file.hpp"

namespace cnnplan {
namespace {

mode_t masked(mode_t mode) {
  const mode_t mask = umask(0);
  umask(mask);
  return mode & ~mask;
}

// Makes a pipe whose reader has left an error of write(), and not the end of the process.
class PipeErrors {
 public:
  PipeErrors() : handler_(std::signal(SIGPIPE, SIG_IGN)) {}
  PipeErrors(const PipeErrors&) = delete;
  PipeErrors& operator=(const PipeErrors&) = delete;
  ~PipeErrors() { std::signal(SIGPIPE, handler_); }

 private:
  void (*handler_)(int);
};

// Makes a file next to its destination, and removes it unless it is moved to the destination.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination)
      : destination_(destination), path_(destination + ".XXXXXX") {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw_failed_call(destination_, "create a file beside it", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!moved_) ::unlink(path_.c_str());
  }

  void fill(std::string_view content, mode_t mode) {
    write_all(descriptor_, std::as_bytes(std::span(content)), destination_);
    if (::fchmod(descriptor_, mode) != 0) throw_failed_call(destination_, "set permissions", errno);
    if (::fsync(descriptor_) != 0) throw_failed_call(destination_, "flush to disk", errno);
    if (::close(std::exchange(descriptor_, -1)) != 0)
      throw_failed_call(destination_, "close", errno);
  }
  void move_to_destination() {
    if (::rename(path_.c_str(), destination_.c_str()) != 0)
      throw_failed_call(destination_, "replace", errno);
    moved_ = true;
  }

 private:
  const std::string& destination_;
  std::string path_;
  int descriptor_ = -1;
  bool moved_ = false;
};

void replace_file(const std::string& file, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  const std::string place = exists ? behind_links(file) : file;
  TemporaryFile temporary(place);
  temporary.fill(content, exists ? status.st_mode & 07777 : masked(new_file_mode));
  temporary.move_to_destination();
}

}  // namespace

OutputFile::OutputFile(const std::string& file)
    : file_(file), stream_(open_output_stream(file).value_or(-1)) {
  if (stream_ < 0) require_replaceable_file(file);
}

OutputFile::~OutputFile() {
  if (stream_ >= 0) ::close(stream_);
}

void OutputFile::write(std::string_view content) {
  if (stream_ >= 0) return write_stream(content);
  require_replaceable_file(file_);  // Its kind may have changed since.
  replace_file(file_, content);
}

void OutputFile::write_stream(std::string_view content) {
  // A reader of stdout that leaves ends the program by a signal, as it ends every filter.
  std::optional<PipeErrors> errors;
  if (!is_standard_output(file_)) errors.emplace();
  write_all(stream_, std::as_bytes(std::span(content)), file_);
  if (::close(std::exchange(stream_, -1)) != 0) throw_failed_call(file_, "close", errno);
}

}  // namespace cnnplan
