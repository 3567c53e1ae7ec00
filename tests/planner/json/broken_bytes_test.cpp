// Tests documents that are cut off or have a changed byte: they are valid or refused with
// InputError.
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {
namespace {

struct Document {
  const char* kind;
  std::string text;
  std::function<void(const std::string&)> parse;
};

std::vector<Document> documents() {
  const std::string file = "x.json";
  return {
      {"network", to_json(sample_network()), [=](const std::string& s) { parse_network(s, file); }},
      {"network",
       to_json(sample_network_3d()),
       [=](const std::string& s) { parse_network(s, file); }},
      {"platform",
       to_json(sample_platform()),
       [=](const std::string& s) { parse_platform(s, file); }},
      {"profile", to_json(sample_profile()), [=](const std::string& s) { parse_profile(s, file); }},
      {"plan", to_json(sample_plan()), [=](const std::string& s) { parse_plan(s, file); }},
      {"run", to_json(sample_run()), [=](const std::string& s) { parse_run(s, file); }},
      {"checkpoint",
       to_json(sample_checkpoint()),
       [=](const std::string& s) { parse_checkpoint(s, file); }},
  };
}

// Returns true if the document is refused. Any other exception than InputError fails the test.
bool is_refused(const Document& document, const std::string& text) {
  try {
    document.parse(text);
    return false;
  } catch (const InputError& error) {
    CHECK(error.problem().file == "x.json");
    CHECK_FALSE(error.problem().value.empty());
    CHECK_FALSE(error.problem().allowed.empty());
    return true;
  }
}

TEST_CASE("Documents: every truncation is refused") {
  for (const Document& document : documents()) {
    CAPTURE(std::string(document.kind));
    const std::size_t end = document.text.rfind('}');
    for (std::size_t length = 0; length <= end; ++length) {
      CHECK(is_refused(document, document.text.substr(0, length)));
    }
    CHECK_FALSE(is_refused(document, document.text));
  }
}

TEST_CASE("Documents: changed bytes never end in anything but an InputError") {
  RandomValues random(6);
  for (const Document& document : documents()) {
    CAPTURE(std::string(document.kind));
    int refused = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      std::string text = document.text;
      for (std::int64_t i = random.integer(1, 3); i > 0; --i) {
        const auto size = static_cast<std::int64_t>(text.size());
        const auto position = static_cast<std::size_t>(random.integer(0, size - 1));
        text[position] = static_cast<char>(random.integer(0, 255));
      }
      refused += is_refused(document, text) ? 1 : 0;
    }
    CHECK(refused > 750);
  }
}

TEST_CASE("Documents: digits changed to other digits never overflow") {
  RandomValues random(7);
  for (const Document& document : documents()) {
    CAPTURE(std::string(document.kind));
    for (int trial = 0; trial < 1000; ++trial) {
      std::string text = document.text;
      const std::size_t digit = text.find_first_of(
          "0123456789", static_cast<std::size_t>(random.integer(0, 999)) % text.size());
      if (digit == std::string::npos) continue;
      text.insert(digit, std::string(static_cast<std::size_t>(random.integer(1, 20)), '9'));
      is_refused(document, text);
    }
  }
}

}  // namespace
}  // namespace cnnplan::test
