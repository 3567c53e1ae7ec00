// Uses POSIX calls, because only they offer fsync.
#include "planner/base/durable_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/writable_file.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t digested_bytes = std::int64_t{1} << 20;

// Checks the file that is replaced, and opens the one that is written.
int opened_beside(const std::string& file, const std::string& partial) {
  require_replaceable_file(file);
  return open_own_file(partial);
}

int opened_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw_failed_call(folder, "open", errno);
  return descriptor;
}

// Reads from an open file or folder, and closes it.
class Reading {
 public:
  Reading(const std::string& file, int descriptor) : file_(file), descriptor_(descriptor) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  // Reads as many bytes as the file has from `offset` on and `bytes` has room for; returns their
  // number.
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::pread(descriptor_,
                                    bytes.data() + done,
                                    bytes.size() - done,
                                    offset + static_cast<std::int64_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_failed_call(file_, "read", errno);
      if (count == 0) break;
      done += count;
    }
    return done;
  }

 private:
  const std::string& file_;
  int descriptor_;
};

// Makes renames in the folder survive a failure of the machine.
void flush_folder_of(const std::string& file) {
  const std::string parent = std::filesystem::path(file).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  const Reading reading(folder, opened_folder(folder));
  // Some file systems cannot flush folders and report EINVAL.
  if (::fsync(reading.descriptor()) != 0 && errno != EINVAL)
    throw_failed_call(folder, "flush to disk", errno);
}

}  // namespace

DurableFile::DurableFile(const std::string& file)
    : file_(file), partial_(file + partial_suffix), descriptor_(opened_beside(file, partial_)) {}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

void DurableFile::append(std::span<const std::byte> bytes) {
  digest_.add(bytes);
  bytes_ += std::ssize(bytes);
  write_all(descriptor_, bytes, file_);
}

FileDigest DurableFile::commit() {
  if (::fsync(descriptor_) != 0) throw_failed_call(file_, "flush to disk", errno);
  if (::rename(partial_.c_str(), file_.c_str()) != 0) throw_failed_call(file_, "replace", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_failed_call(file_, "close", errno);
  flush_folder_of(file_);
  return {.bytes = bytes_, .sha256 = digest_.finish()};
}

FileDigest digest_of(const std::string& file) {
  const Reading reading(file, open_regular_file(file));
  std::vector<std::byte> block(digested_bytes);
  Sha256 digest;
  FileDigest result;
  while (const std::int64_t count = reading.read(result.bytes, block)) {
    digest.add(std::span(block).first(count));
    result.bytes += count;
  }
  result.sha256 = digest.finish();
  return result;
}

std::vector<std::byte> read_bytes(const std::string& file,
                                  std::int64_t offset,
                                  std::int64_t count) {
  const Reading reading(file, open_regular_file(file));
  std::vector<std::byte> bytes(count);
  if (reading.read(offset, bytes) != count) {
    throw IoError(file + ": cannot read: it ends before byte " + std::to_string(offset + count));
  }
  return bytes;
}

}  // namespace cnnplan
