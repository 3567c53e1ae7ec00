// Walks the graph backwards from the outputs.
#include "planner/import/onnx/live_nodes.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

bool makes_any(const OnnxNode& node, const std::map<std::string, int>& wanted) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](const std::string& output) {
    return !output.empty() && wanted.contains(output);
  });
}

}  // namespace

LiveNodes live_nodes(const OnnxGraph& graph, const std::vector<std::string>& outputs) {
  LiveNodes live;
  for (const std::string& output : outputs) live.uses.emplace(output, 1);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (!makes_any(*node, live.uses)) continue;
    live.nodes.push_back(&*node);
    for (const std::string& input : node->inputs) {
      if (!input.empty()) ++live.uses[input];
    }
  }
  std::reverse(live.nodes.begin(), live.nodes.end());
  return live;
}

std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs) {
  std::set<std::string> names(outputs.begin(), outputs.end());
  for (auto node = live.nodes.rbegin(); node != live.nodes.rend(); ++node) {
    const OnnxNode& own = **node;
    if (own.type != "Identity" || own.inputs.empty() || own.outputs.empty()) continue;
    if (names.contains(own.outputs[0])) names.insert(own.inputs[0]);
  }
  return names;
}

}  // namespace cnnplan
