// Finds norms that a model computes step by step.
#pragma once

#include "planner/import/onnx/onnx_graph.hpp"

namespace cnnplan {

// Returns the graph with a node LayerNormalization in place of the last node of each norm over one
// axis: of the division by the root, or of the product with a scale and the sum with a shift after
// it. Exports for opsets below 17 have norms in this form. The other nodes of a norm stay, and are
// dead unless other nodes use them.
OnnxGraph with_layer_norms(OnnxGraph graph);

}  // namespace cnnplan
