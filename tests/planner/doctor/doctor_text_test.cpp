// Tests the sentence with the answer, and that the table fits 80 columns.
#include "planner/doctor/doctor_text.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace cnnplan;

namespace {

Finding finding(FindingState state, const std::string& name, const std::string& text = "text") {
  return {.part = "part", .name = name, .state = state, .text = text};
}

const Finding there = finding(FindingState::present, "there");
const Finding useless = finding(FindingState::absent, "useless");

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("Doctor text: the answer counts and names what is missing, and nothing else") {
  const Finding first = finding(FindingState::missing, "first");
  const Finding second = finding(FindingState::missing, "second");
  const Finding third = finding(FindingState::missing, "third");
  CHECK(answer_of({there, useless}) == "Everything that this machine can run is there.");
  CHECK(answer_of({there, first}) == "1 thing is missing: first.");
  CHECK(answer_of({first, there, second}) == "2 things are missing: first and second.");
  CHECK(answer_of({first, second, third}) == "3 things are missing: first, second and third.");
  CHECK(missing_count({first, there, useless, second}) == 2);
}

TEST_CASE("Doctor text: advice is told and counts as nothing missing") {
  const std::vector<Finding> findings{there, finding(FindingState::advice, "load")};
  CHECK(answer_of(findings) ==
        "Everything that this machine can run is there. There is advice about load.");
  CHECK(missing_count(findings) == 0);
}

TEST_CASE("Doctor text: the part is shown once, and a remedy as a command") {
  Finding missing = finding(FindingState::missing, "gone", "not here");
  missing.remedy = "get it";
  CHECK(to_text(std::vector{there, missing}) ==
        "1 thing is missing: gone.\n\n"
        "part      there            text\n"
        "          gone             MISSING: not here\n"
        "    $ get it\n");
}

TEST_CASE("Doctor text: no line is longer than 80 columns, and all of a text is shown") {
  const std::string name(40, 'n');
  for (const std::string& text :
       {std::string(500, 'x'),
        std::string("several words of text ") + std::string(90, 'y') + " and more",
        std::string()}) {
    CAPTURE(text);
    const std::string shown =
        to_text(std::vector{finding(FindingState::missing, name, text), there});
    CHECK(longest_line(shown) <= 80);
    const auto count = [](const std::string& where, char c) {
      return std::count(where.begin(), where.end(), c);
    };
    CHECK(count(shown, 'y') == count(text, 'y'));
    CHECK(count(shown, 'x') >= count(text, 'x'));
  }
}

TEST_CASE("Doctor text: control characters of other programs do not reach the terminal") {
  const std::string shown = to_text(std::vector{finding(FindingState::present, "n", "a\x1b[31mb")});
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK(shown.find("a?[31mb") != std::string::npos);
}
