// Tests which finding each kind of answer of a child makes.
#include "planner/doctor/child_findings.hpp"

#include <csignal>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/doctor/findings_json.hpp"

using namespace cnnplan;

namespace {

// Returns the only finding about a child that failed, after checking what all of them share.
Finding failure_of(const ChildResult& result) {
  const std::vector<Finding> findings = findings_of("cnnexec", result);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].part == "programs");
  CHECK(findings[0].name == "cnnexec");
  CHECK(findings[0].state == FindingState::missing);
  CHECK(!findings[0].remedy.empty());
  return findings[0];
}

}  // namespace

TEST_CASE("Child findings: a program that the system does not start was built all the same") {
  const Finding finding = not_started("cnnexec", "cnnexec: cannot start another process");
  CHECK(finding.state == FindingState::missing);
  CHECK(finding.text == "could not be asked: cnnexec: cannot start another process");
  CHECK(finding.remedy.empty());
}

TEST_CASE("Child findings: an answer follows the finding about the program") {
  const Finding answer{.part = "files", .name = "HDF5", .text = "HDF5 1.10.8, parallel"};
  const auto findings = findings_of("cnnexec", {.output = to_json({answer})});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].state == FindingState::present);
  CHECK(findings[0].name == "cnnexec");
  CHECK(findings[1] == answer);
}

TEST_CASE("Child findings: each failure is told with the last line of what the program said") {
  CHECK(failure_of({.end = ChildEnd::killed, .code = SIGSEGV}).text ==
        "crashed by signal 11 (Segmentation fault)");
  CHECK(failure_of({.end = ChildEnd::timed_out}).text == "has not answered within 10 s");
  CHECK(failure_of({.end = ChildEnd::too_much_output}).text == "printed more than 1 MiB");
  CHECK(failure_of({.code = 127, .errors = "first\nlibmpi.so.40: no such file\n\n"}).text ==
        "ended with exit code 127: libmpi.so.40: no such file");
  CHECK(failure_of({.output = "hello\nworld\n"}).text ==
        "does not answer as this cnnplan asks: world");
  CHECK(failure_of({}).text == "does not answer as this cnnplan asks");
}

TEST_CASE("Child findings: an answer with a failing exit code does not count") {
  failure_of({.code = 5, .output = to_json({})});
}

TEST_CASE("Child findings: long lines are shortened") {
  CHECK(failure_of({.code = 1, .errors = std::string(5000, 'x')}).text.size() < 300);
}

TEST_CASE("Child findings: a program that does not exist is missing") {
  const Finding finding = absent_program("cnnexec");
  CHECK(finding.state == FindingState::missing);
  CHECK(finding.text.find("not built") != std::string::npos);
}
