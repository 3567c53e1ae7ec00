// Parses JSON more strictly than the library: it refuses duplicate keys and deep nesting.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cnnplan {

// Appends a key to a JSON pointer (RFC 6901): "/layers/3" and "a/b" make "/layers/3/a~1b".
std::string join_pointer(const std::string& pointer, std::string_view key);

// Returns the document. `file` names it in errors. A byte order mark before the text is ignored and
// counts in no column.
// @throws InputError for malformed JSON, with a pointer such as "line 3, column 7", and for an ONNX
// model. It is thrown with the JSON pointer for duplicate keys, numbers too large for a double, and
// nesting beyond 64 levels.
nlohmann::json parse_json(std::string_view content, const std::string& file);

}  // namespace cnnplan
