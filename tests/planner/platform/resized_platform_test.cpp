// Tests platforms with other numbers of nodes and ranks.
#include "planner/platform/resized_platform.hpp"

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

Platform two_levels() {
  Platform platform{.name = "box", .allreduce = {AllreduceFit{}}};
  platform.levels = {Level{.name = "node", .ranks_per_group = 8},
                     Level{.name = "cluster", .ranks_per_group = 256}};
  return platform;
}

}  // namespace

TEST_CASE("resized platform: other numbers of ranks change both levels and the name") {
  const Platform platform = resized(two_levels(), 4, 2);
  CHECK(platform.levels[0].ranks_per_group == 2);
  CHECK(platform.levels[1].ranks_per_group == 8);
  CHECK(platform.name == "box-4x2");
  CHECK(platform.allreduce.empty());
}

TEST_CASE("resized platform: the ranks of its nodes change nothing") {
  CHECK(resized(two_levels(), 4, 8) == two_levels());
}

TEST_CASE("resized platform: sizes that it does not describe are refused") {
  Platform measured = two_levels();
  measured.measured = true;
  CHECK(problem_of([&] { resized(measured, 4, 4); }).file == "--ranks-per-node");
  CHECK(resized(measured, 4, 8) == measured);
  Platform single = two_levels();
  single.levels.pop_back();
  CHECK(problem_of([&] { resized(single, 2, 8); }).file == "--nodes");
  CHECK(resized(single, 1, 4).levels[0].ranks_per_group == 4);
  CHECK(problem_of([&] { resized(two_levels(), 1 << 20, 2); }).file == "--nodes");
}

}  // namespace cnnplan::test
