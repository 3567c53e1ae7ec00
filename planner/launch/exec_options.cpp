// Lists the options of cnnexec, and walks over words as its parser does. The planner has no code of
// cnnexec, so tests/cli/launch_test compares the list with its --help.
#include "planner/launch/exec_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "planner/base/similar_names.hpp"

namespace cnnplan {
namespace {

enum class Takes { nothing, maybe_a_value, a_value };

struct ExecOption {
  std::string_view name;
  Takes takes = Takes::a_value;
  std::string_view letter{};  // with its hyphen; may be empty
};

constexpr std::string_view plan_option = "--strategy";

constexpr std::array exec_options{
    ExecOption{plan_option, Takes::a_value, "-s"},
    ExecOption{"--output", Takes::a_value, "-o"},
    ExecOption{"--weights"},
    ExecOption{"--dump"},
    ExecOption{"--backend"},
    ExecOption{"--graphs"},
    ExecOption{"--nccl", Takes::nothing},
    ExecOption{"--deterministic", Takes::nothing},
    ExecOption{"--workspace"},
    ExecOption{"--engine-trials"},
    ExecOption{"--verbose", Takes::nothing, "-v"},
    ExecOption{"--doctor", Takes::nothing},
    ExecOption{"--comm-timeout"},
    ExecOption{"--steps"},
    ExecOption{"--epochs"},
    ExecOption{"--warmup"},
    ExecOption{"--seed"},
    ExecOption{"--data"},
    ExecOption{"--test"},
    ExecOption{"--crop", Takes::maybe_a_value},
    ExecOption{"--mirror", Takes::nothing},
    ExecOption{"--checkpoint"},
    ExecOption{"--checkpoint-every"},
    ExecOption{"--restart"},
    ExecOption{"--learning-rate"},
    ExecOption{"--momentum"},
    ExecOption{"--weight-decay"},
    ExecOption{"--loss-scale"},
    ExecOption{"--compare-ranks"},
    ExecOption{"--check-gradient", Takes::maybe_a_value},
    ExecOption{"--gradient-limit"},
    ExecOption{"--residual-limit"},
    ExecOption{"--trace-steps"},
    ExecOption{"--verify", Takes::nothing},
    ExecOption{"--infer"},
    ExecOption{"--quiet", Takes::nothing, "-q"},
    ExecOption{"--help", Takes::nothing, "-h"},
    ExecOption{"--version", Takes::nothing},
};

// True for words such as --steps and -o. A hyphen alone stands for stdout, so it is a value.
bool begins_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

bool is_long(std::string_view word) {
  return word.starts_with("--");
}

// Returns the part of a word that names an option: --steps of --steps=3, and -o of -orun.json.
std::string_view name_in(std::string_view word) {
  return is_long(word) ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

// Returns null for a name that cnnexec does not know.
const ExecOption* find_option(std::string_view name) {
  const auto* const found =
      std::find_if(exec_options.begin(), exec_options.end(), [name](const ExecOption& option) {
        return name == option.name || (!option.letter.empty() && name == option.letter);
      });
  return found == exec_options.end() ? nullptr : found;
}

std::string unknown_text(std::string_view name) {
  std::vector<std::string> names;
  for (const ExecOption& option : exec_options) names.emplace_back(option.name);
  const std::string similar = did_you_mean(name, names);
  return "cnnexec has no option " + std::string(name) +
         (similar.empty() ? "; cnnexec --help lists its options" : similar);
}

// Returns what is wrong with the flags of a word such as -qv.
std::string problem_of_letters(std::string_view word) {
  for (const char letter : word.substr(1)) {
    const std::string name = {'-', letter};
    const ExecOption* const option = find_option(name);
    if (option == nullptr) return unknown_text(name);
    if (option->takes != Takes::nothing) return {};  // The rest of the word is its value.
  }
  return {};
}

// Walks over the words from the first one to the last one.
class WordWalk {
 public:
  explicit WordWalk(const std::vector<std::string>& words) : words_(words) {}

  bool is_at_end() const { return next_ == words_.size(); }

  // Takes an option with its value. Returns a message if cnnexec would refuse them.
  std::string take() {
    const std::string_view word = words_[next_++];
    if (!begins_option(word)) {
      return std::string("'").append(word) + "' belongs to no option of cnnexec";
    }
    const std::string_view name = name_in(word);
    const ExecOption* const option = find_option(name);
    if (option == nullptr) return unknown_text(name);
    if (option->name == plan_option) return std::string(name) + " names the plan, as launch does";
    if (!is_long(word) && option->takes == Takes::nothing) return problem_of_letters(word);
    const bool has_value = word.size() > name.size();
    if (has_value || option->takes == Takes::nothing) return {};
    return take_value(*option);
  }

 private:
  std::string take_value(const ExecOption& option) {
    const bool is_there = !is_at_end();
    if (option.takes == Takes::a_value && !is_there) {
      return std::string(option.name) + " of cnnexec needs a value";
    }
    if (is_there && (option.takes == Takes::a_value || !begins_option(words_[next_]))) ++next_;
    return {};
  }

  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
};

}  // namespace

std::string problem_of_exec_words(const std::vector<std::string>& words) {
  WordWalk walk(words);
  while (!walk.is_at_end()) {
    const std::string problem = walk.take();
    if (!problem.empty()) return "after --: " + problem;
  }
  return {};
}

bool has_option(const std::vector<std::string>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(name + '=');
  });
}

bool trains(const std::vector<std::string>& words) {
  return !has_option(words, "--verify") && !has_option(words, "--infer");
}

}  // namespace cnnplan
