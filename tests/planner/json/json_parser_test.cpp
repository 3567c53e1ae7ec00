// Tests that malformed text, duplicate keys and deep nesting are refused with their place.
#include "planner/json/json_parser.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

struct Malformed {
  std::string text;
  std::string pointer;
  std::string value;
  std::string allowed;
};

TEST_CASE("parse_json: malformed text is refused with line and column") {
  const std::vector<Malformed> table{
      {"", "line 1, column 1", "the end of the file", "JSON"},
      {"{", "line 1, column 2", "the end of the file", "JSON"},
      {"{\"a\": 1,}", "line 1, column 9", "{\"a\": 1,}", "expected string literal"},
      {"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 5", "\"b\"", "expected '}'"},
      {"{\"a\": tru}", "line 1, column 10", "tru}", "invalid literal"},
      {"[1] x", "line 1, column 5", "[1] x", "expected end of input"},
      {"[NaN]", "line 1, column 2", "N", "JSON"},
      {"{\"a\": \"\xff\"}", "line 1, column 8", "\\xff", "JSON"},
      {"[1, 2", "line 1, column 6", "the end of the file", "JSON"},
  };
  for (const Malformed& malformed : table) {
    CAPTURE(malformed.text);
    const InputProblem problem = problem_of([&] { parse_json(malformed.text, "x.json"); });
    CHECK(problem.file == "x.json");
    CHECK(problem.pointer == malformed.pointer);
    CHECK_MESSAGE(contains(problem.value, malformed.value), problem.value);
    CHECK_MESSAGE(contains(problem.allowed, malformed.allowed), problem.allowed);
  }
}

TEST_CASE("parse_json: a byte order mark is read over") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(parse_json(mark + R"({"a": 1})", "x.json") == parse_json(R"({"a": 1})", "x.json"));
  const auto pointer_of = [](const std::string& text) {
    return problem_of([&] { parse_json(text, "x.json"); }).pointer;
  };
  CHECK(pointer_of(mark + "[NaN]") == pointer_of("[NaN]"));
  CHECK(pointer_of(mark) == "line 1, column 1");
  // Only the beginning of a file may have one.
  CHECK(pointer_of("[" + mark + "]") == "line 1, column 2");
}

TEST_CASE("parse_json: duplicate keys are refused where they stand") {
  const std::vector<Malformed> table{
      {R"({"a": 1, "a": 1})", "/a", "second time", "once"},
      {R"({"a": {"b": 1}, "c": [{}, {"x": 1, "y": [], "x": 2}]})", "/c/1/x", "second time", "once"},
      {R"([[0, 0], {"a/b": 1, "a/b": 2}])", "/1/a~1b", "second time", "once"},
      {R"({"\u0061": 1, "a": 1})", "/a", "second time", "once"},
  };
  for (const Malformed& malformed : table) {
    CAPTURE(malformed.text);
    const InputProblem problem = problem_of([&] { parse_json(malformed.text, "x.json"); });
    CHECK(problem.pointer == malformed.pointer);
    CHECK(contains(problem.value, malformed.value));
    CHECK(contains(problem.allowed, malformed.allowed));
  }
  CHECK_NOTHROW(parse_json(R"([{"a": 1}, {"a": 1, "b": {"a": 1}}])", "x.json"));
}

TEST_CASE("parse_json: numbers beyond a double are refused") {
  const InputProblem problem =
      problem_of([] { parse_json(R"({"a": [1, {"b": 1e999}]})", "x.json"); });
  CHECK(problem.pointer == "/a/1/b");
  CHECK(contains(problem.value, "1e999"));
}

TEST_CASE("parse_json: nesting is limited") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK_NOTHROW(parse_json(nested(64), "x.json"));
  CHECK(contains(problem_of([&] { parse_json(nested(65), "x.json"); }).allowed, "64 levels"));
  CHECK_THROWS_AS(parse_json(std::string(1000000, '['), "x.json"), InputError);
}

TEST_CASE("join_pointer: escapes as in RFC 6901") {
  CHECK(join_pointer("", "a") == "/a");
  CHECK(join_pointer("/layers/3", "a/b~c") == "/layers/3/a~1b~0c");
  CHECK(join_pointer("/x", "") == "/x/");
}

}  // namespace
}  // namespace cnnplan::test
