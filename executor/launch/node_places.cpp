// Looks for neighbours that are apart.
#include "executor/launch/node_places.hpp"

#include "executor/launch/start_words.hpp"
#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

// Returns the first rank that is not on the node of the first rank that it should share a node
// with. Returns 0 if there is none.
int first_apart(const Plan& plan, const std::vector<RankNode>& nodes) {
  for (int rank = 0; rank < plan.ranks; ++rank) {
    const int first = rank / plan.ranks_per_node * plan.ranks_per_node;
    if (nodes[rank].node != nodes[first].node) return rank;
  }
  return 0;
}

// Only ranks that fill nodes have a command that places them.
std::string start_text(const Plan& plan, const LaunchEnvironment& launch) {
  if (plan.ranks % plan.ranks_per_node != 0) return {};
  return "; start the ranks with" + std::string(command_line) + placing_words(plan, launch);
}

}  // namespace

std::string apart_text(const Plan& plan,
                       const std::vector<RankNode>& nodes,
                       const LaunchEnvironment& launch) {
  const int rank = first_apart(plan, nodes);
  if (rank == 0) return {};
  const int first = rank / plan.ranks_per_node * plan.ranks_per_node;
  return "ranks " + std::to_string(first) + " and " + std::to_string(rank) + " are on two nodes (" +
         nodes[first].host + " and " + nodes[rank].host + "), but the plan was priced with " +
         std::to_string(plan.ranks_per_node) +
         " consecutive ranks on a node, so its prediction does not hold" + start_text(plan, launch);
}

}  // namespace cnnplan
