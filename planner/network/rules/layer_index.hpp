// Defines the index of a layer, which is its place in the network's list of layers.
#pragma once

#include "planner/base/typed_index.hpp"

namespace cnnplan {

// A default-constructed index is that of no layer.
using LayerIndex = TypedIndex<struct LayerTag>;

}  // namespace cnnplan
