// The part of a graph that outputs are made of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

struct LiveNodes {
  std::vector<const OnnxNode*> nodes;  // in the order of the file
  std::map<std::string, int> uses;     // of each value, as inputs of these and as outputs
};

// Files list nodes after those that make their inputs; where one does not, what it lacks is told
// when it is mapped. The graph must outlive the result.
LiveNodes live_nodes(const OnnxGraph& graph, const std::vector<std::string>& outputs);

// The values that are outputs under other names: they and inputs of Identity before them.
std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs);

}  // namespace cnnplan
