// Leaves out options with their values, in all forms that the command line allows.
#include "planner/commands/solve_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

constexpr std::array<std::string_view, 3> of_ranks{"--ranks", "--nodes", "--ranks-per-node"};
constexpr std::string_view short_name = "-r";

bool is_of_ranks(const std::string& word) {
  return word == short_name || std::find(of_ranks.begin(), of_ranks.end(), word) != of_ranks.end();
}

// True for "--ranks=2" and "-r2".
bool has_ranks(const std::string& word) {
  if (!word.starts_with("--")) return word.starts_with(short_name);
  return std::any_of(of_ranks.begin(), of_ranks.end(), [&](std::string_view option) {
    return word.starts_with(std::string(option) + '=');
  });
}

}  // namespace

std::string solve_for_ranks(const std::vector<std::string>& words, int ranks) {
  std::string command = "cnnplan solve";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_of_ranks(words[i])) {
      ++i;  // its value
    } else if (!has_ranks(words[i])) {
      command += ' ' + shell_word(words[i]);
    }
  }
  return command + " --ranks " + std::to_string(ranks);
}

}  // namespace cnnplan
