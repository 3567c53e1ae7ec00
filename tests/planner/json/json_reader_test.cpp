// Tests that JsonReader reads typed values, and refuses wrong ones with their place.
#include "planner/json/json_reader.hpp"

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "planner/base/checked.hpp"
#include "planner/json/json_parser.hpp"
#include "planner/network/enumerators.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

constexpr const char* text = R"({
  "integer": 7, "whole": 8.0, "negative": -3, "huge": 3000000000, "beyond": 18446744073709551615,
  "real": 0.5, "true": true, "text": "abc", "empty": "", "list": [1, 2, 3], "object": {"a": 1},
  "mode": "average", "wrong": "averge", "a/b": 0,
  "long": "0123456789012345678901234567890123456789012345678901234567890123456789"})";

struct Fixture {
  nlohmann::json value = parse_json(text, "f.json");
  std::string file = "f.json";
  JsonReader root{&value, file, ""};
};

TEST_CASE_FIXTURE(Fixture, "JsonReader: reads values in range") {
  CHECK(root.at("integer").integer({7, 7}) == 7);
  CHECK(root.at("whole").integer(extent_range) == 8);
  CHECK(root.at("negative").integer({-3, 0}) == -3);
  CHECK(root.at("negative").integer<int>({-3, 0}) == -3);
  CHECK(root.at("real").number({0.5, 0.5}) == 0.5);
  CHECK(root.at("integer").number({}) == 7.0);
  CHECK(root.at("true").boolean());
  CHECK(root.at("text").text() == "abc");
  CHECK(root.at("empty").text().empty());
  CHECK(root.at("list").entries({3, 3})[2].integer({}) == 3);
  CHECK(root.at("object").members()[0].first == "a");
  CHECK(root.at("mode").enumerator<PoolingMode>() == PoolingMode::average);
}

struct Refusal {
  std::string key;
  std::function<void(const JsonReader&)> read;
  std::string value;
  std::string allowed;
};

TEST_CASE_FIXTURE(Fixture, "JsonReader: refuses with pointer, value and what is allowed") {
  const auto integer = [](const JsonReader& reader) { reader.integer(extent_range); };
  const auto number = [](const JsonReader& reader) { reader.number(fraction_range); };
  const auto mode = [](const JsonReader& reader) { reader.enumerator<PoolingMode>(); };
  const std::string extent = "an integer from 1 to 2147483647";
  const std::vector<Refusal> table{
      {"negative", integer, "-3", extent},
      {"huge", integer, "3000000000", extent},
      {"beyond", integer, "18446744073709551615", extent},
      {"real", integer, "0.5", extent},
      {"text", integer, "\"abc\"", extent},
      {"list", integer, "a list of 3", extent},
      {"object", integer, "an object", extent},
      {"missing", integer, "nothing", extent},
      {"integer", number, "7", "a number from 0.0 to 1.0"},
      {"true", number, "true", "a number from 0.0 to 1.0"},
      {"missing", number, "nothing", "a number from 0.0 to 1.0"},
      {"real",
       [](const JsonReader& r) { r.number({.minimum = 0.5, .ends = Ends::open_below}); },
       "0.5",
       "a number above 0.5"},
      {"real",
       [](const JsonReader& r) { r.number({.maximum = 0.5, .ends = Ends::open_above}); },
       "0.5",
       "a number to below 0.5"},
      {"integer", [](const JsonReader& r) { r.boolean(); }, "7", "true or false"},
      {"integer", [](const JsonReader& r) { r.text(); }, "7", "a string"},
      {"empty", [](const JsonReader& r) { r.name(); }, "\"\"", "a string, not empty"},
      {"list",
       [](const JsonReader& r) {
         r.entries({2, 2});
       },
       "a list of 3",
       "a list of 2 entries"},
      {"object", [](const JsonReader& r) { r.entries(); }, "an object", "a list"},
      {"list", [](const JsonReader& r) { r.members(); }, "a list of 3", "an object"},
      {"list", [](const JsonReader& r) { r.at("x"); }, "a list of 3", "an object"},
      {"wrong", mode, "\"averge\"", "one of \"max\", \"average\""},
      {"missing", mode, "nothing", "one of \"max\", \"average\""},
      {"long", integer, "\"01234567890123456789012345678901234567890123456789012345678...", extent},
  };
  for (const Refusal& refusal : table) {
    CAPTURE(refusal.key);
    const InputProblem problem = problem_of([&] { refusal.read(root.at(refusal.key)); });
    CHECK(problem.file == "f.json");
    CHECK(problem.pointer == "/" + refusal.key);
    CHECK(problem.value == refusal.value);
    CHECK_MESSAGE(contains(problem.allowed, refusal.allowed), problem.allowed);
  }
}

TEST_CASE_FIXTURE(Fixture, "JsonReader: an unknown key is refused with the keys that exist") {
  const InputProblem problem = problem_of([&] { root.at("object").allow_keys({"b", "c"}); });
  CHECK(problem.pointer == "/object/a");
  CHECK(problem.value == "the unknown key \"a\"");
  CHECK(problem.allowed == "keys of b, c");
  CHECK_NOTHROW(root.at("object").allow_keys({"a", "b"}));
  CHECK(contains(problem_of([&] { root.at("list").allow_keys({"a"}); }).allowed, "an object"));
}

TEST_CASE_FIXTURE(Fixture, "JsonReader: pointers are escaped") {
  CHECK(root.at("a/b").pointer() == "/a~1b");
  CHECK(root.at("list").entries()[1].pointer() == "/list/1");
}

TEST_CASE_FIXTURE(Fixture, "JsonReader: a missing key leaves the default") {
  int number = 5;
  double real = 0.25;
  bool flag = true;
  std::string name = "default";
  PoolingMode mode = PoolingMode::average;
  root.read("missing", number, extent_range);
  root.read("missing", real, seconds_range);
  root.read("missing", flag);
  root.read("missing", name);
  root.read_enumerator("missing", mode);
  CHECK(number == 5);
  CHECK(real == 0.25);
  CHECK(flag);
  CHECK(name == "default");
  CHECK(mode == PoolingMode::average);
  root.read("integer", number, extent_range);
  CHECK(number == 7);
}

TEST_CASE_FIXTURE(Fixture, "JsonReader: locate places an error that has no place") {
  const JsonReader reader = root.at("integer");
  const auto overflow = [] {
    return checked_multiply(std::numeric_limits<std::int64_t>::max(), 2);
  };
  CHECK(problem_of([&] { reader.locate(overflow); }).pointer == "/integer");
  const auto placed = [&] { return root.at("text").integer({}); };
  CHECK(problem_of([&] { reader.locate(placed); }).pointer == "/text");
}

TEST_CASE("JsonDocument: refuses a file of another kind") {
  const auto open = [](const std::string& json) {
    return problem_of([&] { JsonDocument(json, "f.json", "network"); });
  };
  CHECK(open(R"({"schema": "cnnplan.plan/1"})").value == "\"cnnplan.plan/1\"");
  CHECK(open(R"({"schema": "cnnplan.plan/1"})").allowed ==
        "\"cnnplan.network/1\"; this is a plan: run it with: cnnexec f.json, or see it with: "
        "cnnplan explain f.json");
  CHECK(open(R"({"schema": "cnnplan.network/2"})").pointer == "/schema");
  CHECK(open(R"({})").value == "nothing");
  CHECK(open(R"({"schema": 1})").value == "1");
  CHECK(open(R"([])").allowed == "an object");
}

}  // namespace
}  // namespace cnnplan::test
