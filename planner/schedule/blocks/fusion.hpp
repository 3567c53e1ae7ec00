// Says which layers run as one kernel: convolution, batch norm and add, with layers after them.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// The place of a unit in a list of a plan's units: in FusedUnits::units(), or in the result of
// fuse().
using UnitIndex = TypedIndex<struct UnitTag>;

// Holds one or more layers that are lowered together. A unit produces the tensor of `last`.
struct Unit {
  LayerIndex head;                 // gives the kind and the name of the operations
  LayerIndex last;                 // the head itself where nothing is fused
  std::vector<LayerIndex> inputs;  // producing layers; of a fused add the residual comes second
  bool relu = false;               // a ReLU is fused
  bool residual = false;           // an add is fused into a batch norm
};

// Returns the layers of a unit, from the head to the last, both inclusive.
std::vector<LayerIndex> layers_of(const Network& network, const Unit& unit);

// True if a convolution with this split computes the ReLU after it, which needs complete sums over
// channels. Such a convolution writes dense blocks only. Where space is split, a separate ReLU
// writes its output with room for the next layer's halo. This saves as much time as fusing, and
// memory, too.
bool writes_dense_relu(const Split& split);

// Returns units in an order of execution. Every layer belongs to exactly one unit. Layers are fused
// where they have equal meshes and stages, and no other layer reads the tensor between them. A ReLU
// is fused if it has no upper limit. An add is fused into a batch norm if it does not scale, and
// the batch norm is the later of its two different inputs. The fused sequences are
//   batch_norm [+ add] [+ relu], add [+ relu],
// and where writes_dense_relu() holds
//   convolution [+ relu], fully_connected [+ relu].
IndexedVector<UnitIndex, Unit> fuse(const Plan& plan);

}  // namespace cnnplan
