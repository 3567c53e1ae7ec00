// A file that another one was made from.
#pragma once

#include <compare>
#include <string>

namespace cnnplan {

struct InputFile {
  std::string file;    // as the user named it, without folders
  std::string sha256;  // of its content, lower-case hex
  auto operator<=>(const InputFile&) const = default;
};

}  // namespace cnnplan
