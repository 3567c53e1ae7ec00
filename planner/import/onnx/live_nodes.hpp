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
  std::map<std::string, int> uses;     // counts of each value as input of these nodes and as output
};

// Returns the nodes from which `outputs` are computed. Files list nodes after the nodes that make
// their inputs; a node for which this fails is reported when it is mapped. The graph must outlive
// the result.
LiveNodes live_nodes(const OnnxGraph& graph, const std::vector<std::string>& outputs);

// Returns the outputs and the values that they equal: inputs of Identity nodes before them.
std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs);

}  // namespace cnnplan
