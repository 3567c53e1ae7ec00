// Tests that findings survive JSON, and that other documents are refused with their place.
#include "planner/doctor/findings_json.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

using namespace cnnplan;
using namespace cnnplan::test;

namespace {

std::string document(const std::string& findings) {
  return R"({"schema": "cnnplan.doctor/1", "answer": "", "findings": )" + findings + "}";
}

}  // namespace

TEST_CASE("Findings JSON: all states and fields are read as they were written") {
  std::vector<Finding> findings;
  for (const FindingState state : Enumerators<FindingState>::all) {
    findings.push_back({.part = "p", .name = "n", .state = state, .text = "\"t\"\n"});
    findings.push_back({.part = "p", .name = "n", .state = state, .text = "", .remedy = "r"});
  }
  CHECK(parse_findings(to_json(findings), "child") == findings);
  CHECK(parse_findings(to_json({}), "child").empty());
}

TEST_CASE("Findings JSON: other documents are refused") {
  const auto pointer_of = [](const std::string& text) {
    return problem_of([&] { parse_findings(text, "child"); }).pointer;
  };
  CHECK(pointer_of("garbage") == "line 1, column 1");
  CHECK(pointer_of(R"({"schema": "cnnplan.plan/2"})") == "/schema");
  CHECK(pointer_of(R"({"schema": "cnnplan.doctor/1", "answer": ""})") == "/findings");
  CHECK(pointer_of(document("{}")) == "/findings");
  CHECK(pointer_of(document(R"([{"part": "p", "name": "n", "state": "good", "text": ""}])")) ==
        "/findings/0/state");
  CHECK(pointer_of(document(R"([{"part": "", "name": "n", "state": "advice", "text": ""}])")) ==
        "/findings/0/part");
}
