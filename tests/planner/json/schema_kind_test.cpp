// Tests that every kind of file says its schema, and that other schemas and versions are refused.
#include "planner/json/schema_kind.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {

TEST_CASE("schema_kind: every kind of file says what it is") {
  CHECK(schema_kind(R"({"schema": "cnnplan.network/1"})", "f") == SchemaKind::network);
  CHECK(schema_kind(R"({"schema": "cnnplan.platform/1"})", "f") == SchemaKind::platform);
  CHECK(schema_kind(R"({"schema": "cnnplan.profile/1"})", "f") == SchemaKind::profile);
  CHECK(schema_kind(R"({"schema": "cnnplan.plan/1"})", "f") == SchemaKind::plan);
  CHECK(schema_kind(R"({"schema": "cnnplan.plan/2"})", "f") == SchemaKind::plan);
  CHECK(schema_kind(R"({"schema": "cnnplan.run/1"})", "f") == SchemaKind::run);
  CHECK(schema_kind(R"({"schema": "cnnplan.run/2"})", "f") == SchemaKind::run);
  CHECK(schema_kind(R"({"schema": "cnnplan.checkpoint/1"})", "f") == SchemaKind::checkpoint);
}

TEST_CASE("schema_kind: a text is looked at as far as its first key, or else as a whole") {
  CHECK(schema_kind(R"({"schema": "cnnplan.plan/2", "layers": [)", "f") == SchemaKind::plan);
  CHECK(schema_kind(R"({"name": "a", "schema": "cnnplan.run/1"})", "f") == SchemaKind::run);
  CHECK(contains(problem_of([] { schema_kind(R"({"name": "a", "schema": )", "f"); }).allowed,
                 "JSON"));
}

TEST_CASE("schema_kind: another schema, another version or none is refused") {
  struct Row {
    const char* json;
    const char* value;
  };
  for (const Row& row : {Row{"{}", "nothing"},
                         Row{"[]", "nothing"},
                         Row{"3", "nothing"},
                         Row{R"({"schema": 1})", "1"},
                         Row{R"({"schema": "cnnplan.network/2"})", "\"cnnplan.network/2\""},
                         Row{R"({"schema": "cnnplan.plan/3"})", "\"cnnplan.plan/3\""},
                         Row{R"({"schema": "cnnplan.plan/0"})", "\"cnnplan.plan/0\""},
                         Row{R"({"schema": "network"})", "\"network\""}}) {
    const InputProblem problem = problem_of([&] { schema_kind(row.json, "file.json"); });
    CHECK(problem.file == "file.json");
    CHECK(problem.pointer == "/schema");
    CHECK(problem.value == row.value);
    CHECK(contains(problem.allowed, "network, platform, profile, plan, run or checkpoint"));
  }
}

}  // namespace cnnplan::test
