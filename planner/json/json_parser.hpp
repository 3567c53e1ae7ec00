// Text to JSON, stricter than the library: no duplicate keys, no runaway nesting.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cnnplan {

// "/layers/3" and "a/b" make "/layers/3/a~1b" (RFC 6901).
std::string join_pointer(const std::string& pointer, std::string_view key);

// @throws InputError for malformed JSON (its pointer is "line 3, column 7"), and with the JSON
// pointer for duplicate keys, numbers too large for a double, and nesting beyond 64.
nlohmann::json parse_json(std::string_view text, const std::string& file);

}  // namespace cnnplan
