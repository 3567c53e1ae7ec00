// Commands as a user types them, and the notes that name them.
#include "planner/report/advice.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string network_file(const Plan& plan) {
  return plan.inputs.empty() ? plan.network.name() + ".json" : plan.inputs.front().file;
}

// "512x512", or "64x512x512" where there is a depth.
std::string input_size(const Network& network) {
  const auto is_input = [](const Layer& layer) {
    return std::holds_alternative<Input>(layer.parameters);
  };
  const auto found = std::find_if(network.layers().begin(), network.layers().end(), is_input);
  const auto& size = std::get<Input>(found->parameters).size;
  return (size[0] == 1 ? "" : std::to_string(size[0]) + 'x') + std::to_string(size[1]) + 'x' +
         std::to_string(size[2]);
}

// The level "node", the innermost one where no level is called so.
int ranks_on_node(const Platform& platform, int ranks) {
  const auto is_node = [](const Level& level) { return level.name == "node"; };
  const auto found = std::find_if(platform.levels.begin(), platform.levels.end(), is_node);
  const Level& node = found == platform.levels.end() ? platform.levels.front() : *found;
  return std::min(ranks, node.ranks_per_group);
}

std::string links_note(const Platform& platform, int ranks) {
  if (!platform.measured) {
    return "links: assumed figures; measure them with: " + links_advice(ranks) + '\n';
  }
  const int measured = platform.levels.back().ranks_per_group;
  if (measured >= ranks) return "";
  return "links: measured with " + std::to_string(measured) + " ranks, the plan has " +
         std::to_string(ranks) + "; measure them with: " + links_advice(ranks) + '\n';
}

std::string estimates_note(const Plan& plan) {
  const std::size_t count = plan.prediction.estimated_kernels.size();
  if (count == 0) return "";
  return counted(count, "kernel") + ": estimated; measure them with: " + profile_advice(plan) +
         '\n';
}

std::string busy_ranks_note(const Plan& plan, const Platform& platform, const Profile& profile) {
  const int busy = profile.fingerprint.busy_ranks;
  const int on_node = ranks_on_node(platform, plan.ranks);
  if (profile.kernels.empty() || busy == on_node) return "";
  return "kernels: timed with " + counted(static_cast<std::size_t>(busy), "busy rank") +
         " on a node, the plan has " + std::to_string(on_node) +
         "; time them in a new profile with: " + profile_advice(plan) + '\n';
}

}  // namespace

std::string profile_advice(const Plan& plan) {
  const std::string ranks = std::to_string(plan.ranks);
  return "mpirun -n " + ranks + " cnnplan profile " + network_file(plan) + " --ranks " + ranks +
         " --batch " + std::to_string(plan.batch) + " --input " + input_size(plan.network);
}

std::string links_advice(int ranks) {
  return "mpirun -n " + std::to_string(ranks) + " cnnplan profile --links";
}

std::string assumptions(const Plan& plan, const Platform& platform, const Profile& profile) {
  return links_note(platform, plan.ranks) + estimates_note(plan) +
         busy_ranks_note(plan, platform, profile);
}

}  // namespace cnnplan
