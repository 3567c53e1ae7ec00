// Adds a suggestion to CLI11's message about an unknown option.
#include "planner/cli/suggestions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
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

// Pairs a name that other programs give an option with the name that it has here.
struct Synonym {
  std::string_view other;
  std::string_view name;
};

// Where a command has several of the names, the first one counts.
constexpr std::array synonyms{Synonym{"--size", "--input"},
                              Synonym{"--image-size", "--input"},
                              Synonym{"--img-size", "--input"},
                              Synonym{"--imgsz", "--input"},
                              Synonym{"--resolution", "--input"},
                              Synonym{"--input-size", "--input"},
                              Synonym{"--input-shape", "--input"},
                              Synonym{"--gpus", "--ranks"},
                              Synonym{"--devices", "--ranks"},
                              Synonym{"--processes", "--ranks"},
                              Synonym{"--nproc", "--ranks"},
                              Synonym{"--np", "--ranks"},
                              Synonym{"--ntasks", "--ranks"},
                              Synonym{"--workers", "--ranks"},
                              Synonym{"--world-size", "--ranks"},
                              Synonym{"--nnodes", "--nodes"},
                              Synonym{"--nproc-per-node", "--ranks-per-node"},
                              Synonym{"--ntasks-per-node", "--ranks-per-node"},
                              Synonym{"--gpus-per-node", "--ranks-per-node"},
                              Synonym{"--batch-size", "--batch"},
                              Synonym{"--batchsize", "--batch"},
                              Synonym{"--global-batch-size", "--batch"},
                              Synonym{"--bs", "--batch"},
                              Synonym{"--dtype", "--precision"},
                              Synonym{"--amp", "--precision"},
                              Synonym{"--fp16", "--precision"},
                              Synonym{"--bf16", "--precision"},
                              Synonym{"--mesh", "--uniform"},
                              Synonym{"--machine", "--platform"},
                              Synonym{"--hardware", "--platform"},
                              Synonym{"--cluster", "--platform"},
                              Synonym{"--device", "--backend"},
                              Synonym{"--device", "--platform"},
                              Synonym{"--lr", "--learning-rate"},
                              Synonym{"--iterations", "--steps"},
                              Synonym{"--iters", "--steps"},
                              Synonym{"--dataset", "--data"},
                              Synonym{"--resume", "--restart"},
                              Synonym{"--pretrained", "--weights"},
                              Synonym{"--out", "--output"},
                              Synonym{"--output-file", "--output"}};

// Returns the option that programs of this field also call `name`, or an empty text.
std::string_view by_synonym(std::string_view name, const std::vector<std::string>& names) {
  for (const Synonym& synonym : synonyms) {
    if (synonym.other == name && std::ranges::count(names, synonym.name) > 0) return synonym.name;
  }
  return {};
}

std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
  const std::string_view known = by_synonym(name, names);
  return known.empty() ? did_you_mean(name, names) : "; did you mean " + std::string(known) + '?';
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
    text.insert(text.find('\n'), suggestion(unknown_option(*app), option_names(*app)));
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
