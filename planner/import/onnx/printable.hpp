// Makes unchecked texts from files safe to print.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// Returns at most 200 characters; bytes that are not printable ASCII become "?".
std::string printable(std::string_view text);

}  // namespace cnnplan
