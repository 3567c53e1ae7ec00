// Tests that all ranks hear of a fact that differs, with its values and ranks.
#include "executor/agreement/equal_facts.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

const std::vector<Fact> common{{"--seed", "1"}, {"--data", ""}, {"--momentum", "0.9"}};

// Returns what the rank is told; empty if the facts of all ranks are equal.
std::string told(const std::vector<Fact>& facts) {
  try {
    require_equal_facts(facts, Communicator::world());
    return {};
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::environment);
    return error.what();
  }
}

TEST_CASE("equal facts pass") {
  CHECK(told(common).empty());
  CHECK(told({}).empty());
}

TEST_CASE("all ranks hear of the first fact that differs") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const bool is_last = world.rank() == world.size() - 1;
  std::vector<Fact> facts = common;
  if (is_last) facts[1].value = "train.h5";
  if (is_last) facts[2].value = "0.5";
  const std::string others = world.size() == 2 ? "rank 0" : "ranks 0 to 2";
  const std::string last = "rank " + std::to_string(world.size() - 1);
  CHECK(told(facts) == "ranks differ in --data: not given on " + others + "; train.h5 on " + last +
                           "; start all ranks alike");
}

TEST_CASE("a fact that only one rank has differs") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  std::vector<Fact> facts = common;
  if (world.rank() == 1) facts.push_back({"--new", "7"});
  CHECK(told(facts).find("ranks differ in --new: not given on ") == 0);
  CHECK(told(facts).find("; 7 on rank 1;") != std::string::npos);
}

TEST_CASE("ranks that follow each other are told as a range") {
  CHECK(named_ranks({3}) == "rank 3");
  CHECK(named_ranks({0, 1}) == "ranks 0, 1");
  CHECK(named_ranks({0, 2, 3, 4, 5, 9}) == "ranks 0, 2 to 5, 9");
}

}  // namespace
}  // namespace cnnplan
