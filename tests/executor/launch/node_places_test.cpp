// Tests that ranks on other nodes than the plan was priced with are found.
#include "executor/launch/node_places.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

Plan plan_of(int ranks, int ranks_per_node) {
  Plan plan;
  plan.ranks = ranks;
  plan.ranks_per_node = ranks_per_node;
  return plan;
}

// Returns an entry for each letter, which names a node.
std::vector<RankNode> nodes_of(const std::string& letters) {
  std::vector<RankNode> nodes;
  for (const char letter : letters) {
    nodes.push_back({.node = letter, .host = std::string("node-") + letter});
  }
  return nodes;
}

std::string apart(const std::string& letters, int ranks_per_node) {
  return apart_text(
      plan_of(static_cast<int>(letters.size()), ranks_per_node), nodes_of(letters), {});
}

}  // namespace

TEST_CASE("node places: ranks on the nodes of the plan, or on fewer, are right") {
  CHECK(apart("aabb", 2) == "");
  CHECK(apart("aaaa", 2) == "");
  CHECK(apart("abcd", 1) == "");
  CHECK(apart("aabbc", 2) == "");
}

TEST_CASE("node places: neighbours on two nodes are told with the right command") {
  CHECK(apart("abab", 2) ==
        "ranks 0 and 1 are on two nodes (node-a and node-b), but the plan was priced with 2 "
        "consecutive ranks on a node, so its prediction does not hold; start the ranks with\n    "
        "mpirun -n 4 --map-by ppr:2:node:PE=1 --bind-to core -x OMP_NUM_THREADS=1");
  CHECK(apart("aabb", 4).find("ranks 0 and 2 are on two nodes") == 0);
  CHECK(apart("aaba", 2).find("ranks 2 and 3 are on two nodes (node-b and node-a)") == 0);
}

TEST_CASE("node places: the command is srun in a job") {
  const LaunchEnvironment job{.launcher = Launcher::srun, .is_in_a_job = true};
  const std::string text = apart_text(plan_of(4, 2), nodes_of("abab"), job);
  CHECK(text.find("\n    srun --mpi=pmix --nodes=2 --ntasks=4 --ntasks-per-node=2") !=
        std::string::npos);
}

TEST_CASE("node places: ranks that fill no nodes get no command") {
  const std::string text = apart("aba", 2);
  CHECK(text.ends_with("so its prediction does not hold"));
}

}  // namespace cnnplan::test
