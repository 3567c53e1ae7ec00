// Adds a suggestion to CLI11's message about an unknown option.
#include "planner/cli/suggestions.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "planner/base/message.hpp"
#include "planner/base/similar_names.hpp"

namespace cnnplan {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* const command : app.get_subcommands()) {  // those on the command line
    for (const std::string& name : option_names(*command)) names.push_back(name);
  }
  return names;
}

// Returns the first unknown option without its value, or an empty text.
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("--")) return word.substr(0, word.find('='));
  }
  return {};
}

std::string message(const CLI::App* app, const CLI::Error& error, std::size_t columns) {
  std::string text = CLI::FailureMessage::simple(app, error);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    text.insert(text.find('\n'), did_you_mean(unknown_option(*app), option_names(*app)));
  }
  return message_text(text, columns);
}

}  // namespace

void suggest_options(CLI::App& app, std::size_t columns) {
  app.failure_message([columns](const CLI::App* parsed, const CLI::Error& error) {
    return message(parsed, error, columns);
  });
}

void suggest_options(CLI::App& app) {
  suggest_options(app, stderr_style().columns);
}

}  // namespace cnnplan
