// Finds the part of a graph from which the outputs are computed, and its order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Holds the nodes of a graph that its outputs depend on.
struct LiveNodes {
  std::vector<const OnnxNode*> nodes;  // after the nodes that make their inputs
  std::map<std::string, int> uses;  // how often each value is an input of these nodes or an output
};

// Returns the nodes from which `outputs` are computed. They keep the order of the file where each
// node follows the nodes that make its inputs, as the standard demands; other files are sorted. The
// graph must outlive the result. `file` is for messages.
// @throws InputError for nodes that are inputs of each other; it names them
LiveNodes live_nodes(const OnnxGraph& graph,
                     const std::vector<std::string>& outputs,
                     const std::string& file);

// Returns the names of the outputs. A value that Identity nodes only rename to an output is an
// output, too.
std::set<std::string> names_of_outputs(const LiveNodes& live,
                                       const std::vector<std::string>& outputs);

}  // namespace cnnplan
