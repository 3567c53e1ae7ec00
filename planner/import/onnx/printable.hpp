// Texts of files that nobody has looked at.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// At most 200 characters; bytes that are no printable ASCII are "?".
std::string printable(std::string_view text);

}  // namespace cnnplan
