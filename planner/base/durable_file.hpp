// Writes large files that are complete or absent, even if the machine fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "planner/base/sha256.hpp"

namespace cnnplan {

// A file has this suffix while it is being written.
inline constexpr const char* partial_suffix = ".partial";

// Identifies the content of a file, so that a checkpoint can tell whether the file is intact.
struct FileDigest {
  std::int64_t bytes = 0;  // the size of the file
  std::string sha256;      // of the whole content, in lower-case hex
  bool operator==(const FileDigest&) const = default;
};

// Writes to a temporary file next to `file`, which has the name of `file` and partial_suffix. A
// file may have only one writer at a time.
class DurableFile {
 public:
  // @throws IoError, as the members below do
  explicit DurableFile(const std::string& file);
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;
  // The destructor removes the temporary file unless it was committed.
  ~DurableFile();

  void append(std::span<const std::byte> bytes);
  // Returns how many bytes were appended so far.
  std::int64_t bytes() const { return bytes_; }
  // Gives the file its name. The file and its name are on the disk when this returns. Returns the
  // size and the digest of all that was appended.
  // @pre it was not called before, and append() is not called after it
  FileDigest commit();

 private:
  std::string file_;
  std::string partial_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  Sha256 digest_;
};

// Computes the digest of a whole file.
// @throws IoError; InputError when it is a folder, a pipe or a device
FileDigest digest_of(const std::string& file);
// Reads `count` bytes from `offset` on.
// @throws IoError, also when the file ends before them; InputError as digest_of does
std::vector<std::byte> read_bytes(const std::string& file, std::int64_t offset, std::int64_t count);

}  // namespace cnnplan
