// Reads a part as a whole to compute its digest.
#include "planner/run/checkpoint_parts.hpp"

#include <filesystem>

#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

std::string to_text(const FileDigest& digest) {
  return std::to_string(digest.bytes) + " bytes with SHA-256 " + digest.sha256;
}

}  // namespace

void check_part(const std::string& checkpoint_file, const CheckpointPart& part) {
  const std::string path =
      (std::filesystem::path(checkpoint_file).parent_path() / part.file).string();
  const FileDigest written{.bytes = part.bytes, .sha256 = part.sha256};
  const auto refuse = [&](const std::string& value) {
    throw InputError({.file = path,
                      .pointer = "",
                      .value = value,
                      .allowed = to_text(written) + ", as " + checkpoint_file + " says"});
  };
  if (!file_exists(path)) refuse("no such file");
  const FileDigest found = digest_of(path);
  if (found != written) refuse(to_text(found));
}

}  // namespace cnnplan
