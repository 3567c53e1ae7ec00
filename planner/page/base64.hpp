// Writes bytes as text, for a page that holds compressed values.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

// Returns four letters for each three bytes, as RFC 4648 says, with "=" where bytes are missing.
std::string base64(std::string_view bytes);

}  // namespace cnnplan
