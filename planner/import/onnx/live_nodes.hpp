// Finds the part of a graph from which the outputs are computed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

struct LiveNodes {
  std::vector<const OnnxNode*> nodes;  // in the order of the file
  std::map<std::string, int> uses;  // how often each value is an input of these nodes or an output
};

// Returns the nodes from which `outputs` are computed. Files list nodes after the nodes that make
// their inputs; a node for which this fails is reported when it is mapped. The graph must outlive
// the result.
LiveNodes live_nodes(const OnnxGraph& graph, const std::vector<std::string>& outputs);

// Returns the names of the outputs, and of the values that Identity nodes turn into them.
std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs);

}  // namespace cnnplan
