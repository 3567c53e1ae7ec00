// Which layers run as one kernel: convolution, batch norm and add take the element-wise layers
// behind them.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// One or more layers that are lowered together. The tensor it produces is that of `last`.
struct Unit {
  LayerIndex head = 0;  // gives the kind and the name of the operations
  LayerIndex last = 0;
  std::vector<LayerIndex> inputs;  // producing layers; of a fused add the residual comes second
  bool relu = false;
  bool residual = false;
};

// From the head to the last.
std::vector<LayerIndex> layers_of(const Network& network, const Unit& unit);

// Whether a convolution that is split so computes the ReLU behind it: not where its sums over
// channels are not complete. It writes dense blocks only: where space is split, a ReLU of its own
// writes its output with room for the halo that the next layer needs, which saves as much as fusing
// it would, and memory, too.
bool writes_dense_relu(const Split& split);

// Units in an order of execution; every layer belongs to exactly one. Layers are fused where they
// have the same mesh and the tensor between them has no other consumer, a ReLU where nothing clips
// it above, and an add behind a batch norm where it does not scale:
// batch_norm [+ add] [+ relu], add [+ relu], and where writes_dense_relu(), convolution
// [+ relu], fully_connected [+ relu].
std::vector<Unit> fuse(const Plan& plan);

}  // namespace cnnplan
