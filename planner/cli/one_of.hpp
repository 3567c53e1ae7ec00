// Parses options of the command line whose values have names.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace cnnplan {

// Makes a validator for `transform`, which accepts only the names and lists them in its message.
template <typename E>
CLI::Validator one_of(const std::map<std::string, E>& names) {
  std::string list;
  for (const auto& [name, value] : names) list += (list.empty() ? "" : ", ") + name;
  const auto to_number = [names, list](std::string& text) -> std::string {
    const auto found = names.find(text);
    if (found == names.end()) return "'" + text + "' is none of " + list;
    text = std::to_string(static_cast<int>(found->second));
    return {};
  };
  return {to_number, "{" + list + "}"};
}

}  // namespace cnnplan
