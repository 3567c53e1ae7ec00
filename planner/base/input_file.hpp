// Identifies a file from which another file was made, by its name and digest.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace cnnplan {

struct InputFile {
  std::string file;    // as the user named it, without folders
  std::string sha256;  // digest of its content, lower-case hex
  auto operator<=>(const InputFile&) const = default;
};

// Returns the record of a file that was read from `path` and has this content. It opens no file.
InputFile input_file(std::string_view path, std::string_view content);

}  // namespace cnnplan
