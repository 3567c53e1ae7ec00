// Parses options of the command line whose values have names.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "planner/base/similar_names.hpp"

namespace cnnplan {

// Returns a name as it is spelled in files: in lower case, with underscores.
inline std::string plain_name(std::string text) {
  for (char& letter : text) {
    letter =
        letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

// Makes a validator for the function `transform` of an option. It accepts only the names, and turns
// each into the number of its enumerator, which CLI11 reads. The message about another text lists
// all names. Upper case is accepted, and a hyphen in place of an underscore: BF16,
// recursive-doubling.
template <typename E>
CLI::Validator one_of(const std::map<std::string, E>& names) {
  std::string list;
  std::vector<std::string> all;
  for (const auto& [name, value] : names) {
    list += (list.empty() ? "" : ", ") + name;
    all.push_back(name);
  }
  const auto to_number = [names, list, all](std::string& text) -> std::string {
    const std::string name = plain_name(text);
    const auto found = names.find(name);
    if (found == names.end()) return "'" + text + "' is none of " + list + did_you_mean(name, all);
    text = std::to_string(static_cast<int>(found->second));
    return {};
  };
  return {to_number, "{" + list + "}"};
}

}  // namespace cnnplan
