// Large files that are there whole or not at all, also when the machine fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "planner/base/sha256.hpp"

namespace cnnplan {

// What stands behind the name of a file that is being written.
inline constexpr const char* partial_suffix = ".partial";

struct FileDigest {
  std::int64_t bytes = 0;
  std::string sha256;
  bool operator==(const FileDigest&) const = default;
};

// Writes beside the file. One writer at a time.
class DurableFile {
 public:
  // @throws IoError, as all that follows
  explicit DurableFile(const std::string& file);
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;
  // Removes what was written unless it was committed.
  ~DurableFile();

  void append(std::span<const std::byte> bytes);
  std::int64_t bytes() const { return bytes_; }
  // Puts the file in its place; it and its name are on the disk when this returns.
  FileDigest commit();

 private:
  std::string file_;
  std::string partial_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  Sha256 digest_;
};

// @throws IoError
FileDigest digest_of(const std::string& file);
// @throws IoError where the file has them not
std::vector<std::byte> read_bytes(const std::string& file, std::int64_t offset, std::int64_t count);

}  // namespace cnnplan
