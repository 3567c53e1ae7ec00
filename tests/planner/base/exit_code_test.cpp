// Tests that the help text about exit codes has a line for each code that a program can end with.
#include "planner/base/exit_code.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

// Returns the numbers at the beginning of the section's lines, after its heading.
std::vector<int> codes_in(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "EXIT CODES");
  std::vector<int> codes;
  while (std::getline(lines, line)) codes.push_back(std::stoi(line));
  return codes;
}

}  // namespace

TEST_CASE("exit codes: the help lists all of them in ascending order") {
  CHECK(codes_in(exit_codes_help({})) ==
        std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 75});
}

TEST_CASE("exit codes: the help leaves out codes that a program does not end with") {
  CHECK(codes_in(exit_codes_help({ExitCode::infeasible, ExitCode::preempted})) ==
        std::vector<int>{0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11});
}

}  // namespace cnnplan::test
