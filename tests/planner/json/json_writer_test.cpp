// Tests the layout of written JSON, and the values that it cannot hold.
#include "planner/json/json_writer.hpp"

#include <limits>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan::test {
namespace {

TEST_CASE("write_json: short values stay on one line, keys keep their order") {
  OrderedJson document;
  document["z"] = {1, 2};
  document["a"] = {{"x", 0.1}, {"y", "text"}};
  document["empty"] = OrderedJson::array();
  CHECK(write_json(document) == R"({
  "z": [1, 2],
  "a": {"x": 0.1, "y": "text"},
  "empty": []
}
)");
}

TEST_CASE("write_json: long values are broken at 100 columns") {
  const auto list_of = [](std::size_t length) {
    OrderedJson document;
    document["key"] = OrderedJson::array({std::string(length, 'x')});
    return write_json(document);
  };
  // The line also has an indentation of two, "key": and a blank, brackets and quotes, and room for
  // a comma.
  constexpr std::size_t longest = 100 - 2 - 7 - 4 - 1;
  CHECK(list_of(longest).find("\n    ") == std::string::npos);
  CHECK(list_of(longest + 1).find("\n    ") != std::string::npos);
}

TEST_CASE("write_json: numbers that are not finite are refused with their pointer") {
  OrderedJson document;
  document["loss"] = {1.0, std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_WITH_AS(write_json(document), doctest::Contains("/loss/1"), NotFiniteError);
  document["loss"] = {std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(write_json(document), NotFiniteError);
}

TEST_CASE("write_json: bytes that are no UTF-8 do not make a file unreadable") {
  OrderedJson document;
  document["name"] = "a\xff";
  CHECK(OrderedJson::parse(write_json(document))["name"] == "a\xEF\xBF\xBD");
}

TEST_CASE("new_document: names schema and generator first") {
  const std::string text = write_json(new_document("plan"));
  CHECK(text.find("{\n  \"schema\": \"cnnplan.plan/2\",\n  \"generator\": \"cnnplan ") == 0);
}

}  // namespace
}  // namespace cnnplan::test
