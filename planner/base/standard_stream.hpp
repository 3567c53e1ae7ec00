// Names the streams that a process was started with where a file may be named.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace cnnplan {

// This name stands for stdin where read_file reads it, and for stdout where write_file writes it.
// file_exists says that it exists.
inline constexpr std::string_view standard_stream = "-";

// Returns N for "/dev/fd/N" and "/proc/self/fd/N", which is how shells write <(...) and >(...). It
// is absent for all other names.
inline std::optional<int> numbered_descriptor(std::string_view name) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    const std::string_view digits = name.substr(folder.size());
    const char* const end = digits.data() + digits.size();
    int number = -1;
    const auto [last, error] = std::from_chars(digits.data(), end, number);
    if (error == std::errc{} && last == end && number >= 0) return number;
  }
  return std::nullopt;
}

// Returns true for each name of stdout as an output: "-", "/dev/stdout" and "/dev/fd/1".
inline bool is_standard_output(std::string_view name) {
  constexpr int stdout_descriptor = 1;
  return name == standard_stream || name == "/dev/stdout" ||
         numbered_descriptor(name) == stdout_descriptor;
}

// Returns true for each name of a stream. A later command cannot read it again.
inline bool is_stream(std::string_view name) {
  return is_standard_output(name) || name == "/dev/stdin" || numbered_descriptor(name).has_value();
}

}  // namespace cnnplan
