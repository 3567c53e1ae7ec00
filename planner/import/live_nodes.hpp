// The part of a graph that an output is made of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx_graph.hpp"

namespace cnnplan {

struct LiveNodes {
  std::vector<const OnnxNode*> nodes;  // in the order of the file
  std::map<std::string, int> uses;     // of each value, as inputs of these and as the output
};

// Files list nodes after those that make their inputs; where one does not, what it lacks is told
// when it is mapped. The graph must outlive the result.
LiveNodes live_nodes(const OnnxGraph& graph, const std::string& output);

// The values that are the output under another name: it and inputs of Identity before it.
std::set<std::string> names_of_output(const LiveNodes& live, const std::string& output);

}  // namespace cnnplan
