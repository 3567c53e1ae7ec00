// Overrides the parts of CLI11's formatter that print lines of any length.
#include "planner/cli/help_text.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include <unistd.h>

#include "planner/base/terminal.hpp"
#include "planner/base/wrapped_text.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t description_column = 26;
constexpr std::size_t section_indent = 2;

// Reads the type and the checks of an option apart. CLI11's own get_type_name() joins them by
// colons, and a type such as "A:B" has a colon of its own.
class OptionParts : public CLI::Option {
 public:
  // Returns the name of the type, without the descriptions of checks.
  static std::string type_of(const CLI::Option& option) {
    return (option.*(&OptionParts::type_name_))();
  }
  // Returns what the checks of the option say about its values.
  static std::vector<std::string> checks_of(const CLI::Option& option) {
    std::vector<std::string> checks;
    for (const CLI::Validator& check : option.*(&OptionParts::validators_)) {
      checks.push_back(check.get_description());
    }
    return checks;
  }
};

// Returns the name of a type for readers.
std::string type_word(const CLI::Option& option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> words{
      {{"INT", "COUNT"}, {"UINT", "NUMBER"}, {"FLOAT", "NUMBER"}, {"ENUM", "NAME"}}};
  std::string name = OptionParts::type_of(option);
  for (const auto& [from, to] : words) {
    if (name == from) return std::string(to);
  }
  return name;
}

// Returns the names that a check accepts, or nothing where it accepts other values.
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> choices;
  for (const std::string& check : OptionParts::checks_of(option)) {
    if (!check.starts_with('{') || !check.ends_with('}')) continue;
    for (const std::string& choice : CLI::detail::split(check.substr(1, check.size() - 2), ',')) {
      choices.push_back(CLI::detail::trim_copy(choice));
    }
  }
  return choices;
}

// Returns "; one of a, b, c" unless the description has these names already.
std::string choices_text(const CLI::Option& option) {
  const std::vector<std::string> choices = choices_of(option);
  const std::string& description = option.get_description();
  const bool are_known = std::all_of(choices.begin(), choices.end(), [&](const std::string& name) {
    return description.find(name) != std::string::npos;
  });
  return are_known ? "" : "; one of " + CLI::detail::join(choices, ", ");
}

std::string joined_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : options) names.push_back(option->get_name());
  std::sort(names.begin(), names.end());
  return CLI::detail::join(names, ", ");
}

std::string description_of(const CLI::Option& option) {
  std::string text = option.get_description();
  const bool has_value = option.get_type_size() != 0;
  if (has_value) text += choices_text(option);
  if (has_value && !option.get_default_str().empty()) {
    text += "; default: " + option.get_default_str();
  }
  if (!option.get_needs().empty()) text += "; with " + joined_names(option.get_needs());
  if (!option.get_excludes().empty()) text += "; not with " + joined_names(option.get_excludes());
  return text;
}

// Puts a description next to a name, or below a longer name.
std::string entry_text(const std::string& name, const std::string& description) {
  std::string text = std::string(section_indent, ' ') + name;
  std::string lines = indented(description, description_column, help_columns());
  const bool fits = text.size() + 2 <= description_column;
  if (fits) lines.erase(0, text.size());
  return text + (fits ? "" : "\n") + lines;
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    if (const std::size_t comma = name.find(','); comma != std::string::npos) {
      name.insert(comma + 1, " ");
    }
    name = name.substr(0, name.find('{'));  // what a flag stands for
    const std::string word = type_word(*option);
    const bool is_optional = option->get_expected_min() == 0;
    if (!is_positional && option->get_type_size() != 0 && !word.empty()) {
      name += is_optional ? "[=" + word + ']' : ' ' + word;
    }
    return entry_text(name, description_of(*option));
  }

  std::string make_help(const CLI::App* app,
                        std::string name,
                        CLI::AppFormatMode mode) const override {
    return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           option_groups(*app) + make_subcommands(app, mode) + '\n' + app->get_footer();
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return entry_text(command->get_name(), command->get_description());
  }

  std::string make_description(const CLI::App* app) const override {
    return indented(app->get_description(), 0, help_columns()) + '\n';
  }

 private:
  // The options that every program has come last.
  std::string option_groups(const CLI::App& app) const {
    const auto is_general = [&app](const CLI::Option* option) {
      return option == app.get_help_ptr() || option == app.get_version_ptr();
    };
    std::string text;
    for (const std::string& group : app.get_groups()) {
      const auto options = app.get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional() && !is_general(option);
      });
      if (!group.empty() && !options.empty()) text += make_group(group, false, options);
    }
    const auto general = app.get_options(is_general);
    return general.empty() ? text : text + make_group("Help", false, general);
  }
};

}  // namespace

std::size_t help_columns() {
  return columns_of(STDOUT_FILENO);
}

void use_help_text(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "Print this help");
}

std::string examples_text(const std::vector<Example>& examples) {
  constexpr std::size_t note_column = 42;
  std::string text = "EXAMPLES\n";
  for (const auto& [command, note] : examples) {
    std::string line = std::string(section_indent, ' ') + command;
    const std::size_t column = std::max(note_column, line.size() + 3);
    const bool fits = column + note.size() <= help_columns();
    if (note.empty()) {
      text += line + '\n';
    } else if (fits) {
      line.resize(column, ' ');
      text.append(line).append(note).append("\n");
    } else {
      text += line + '\n' + indented(note, 3 * section_indent, help_columns());
    }
  }
  return text + '\n';
}

std::string section_text(std::string_view title, std::string_view text) {
  return std::string(title) + '\n' + indented(text, section_indent, help_columns()) + '\n';
}

}  // namespace cnnplan
