// Finds norms that a model computes step by step.
#pragma once

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Returns the graph with nodes LayerNormalization for norms over one axis. Such a node replaces the
// division by the root of variance and epsilon. A product with a scale and a sum with a shift after
// the division, both initializers, are replaced likewise, so that the last one is the whole norm.
// Exports for opsets below 17 have norms in this form. The other nodes of a norm stay, and are dead
// unless other nodes use them.
OnnxGraph with_layer_norms(OnnxGraph graph);

}  // namespace cnnplan
