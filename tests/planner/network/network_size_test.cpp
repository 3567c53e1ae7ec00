// Tests the sizes that users give on the command line, such as 224x224.
#include <array>

#include <doctest/doctest.h>

#include "planner/network/network.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {

using Size = std::array<std::int64_t, 3>;

TEST_CASE("parse_size: height and width, or depth before them") {
  CHECK(parse_size("512x256") == Size{0, 512, 256});
  CHECK(parse_size("64x512x256") == Size{64, 512, 256});
  CHECK(parse_size("1x999999999") == Size{0, 1, 999999999});
}

TEST_CASE("parse_size: everything else is refused, and shown") {
  for (const char* text : {"",
                           "x",
                           "512",
                           "512x",
                           "x512",
                           "0x512",
                           "512x0",
                           "1x2x3x4",
                           "512X512",
                           "-1x5",
                           "+1x5",
                           " 1x5",
                           "1x5 ",
                           "1.5x2",
                           "1000000000x1",
                           "99999999999999999999x1"}) {
    const InputProblem problem = problem_of([&] { parse_size(text); });
    CHECK(problem.file == "--input");
    CHECK(problem.value == '"' + std::string(text) + '"');
    CHECK(contains(problem.allowed, "HxW or DxHxW"));
  }
}

}  // namespace cnnplan::test
