// Says how the tensors of a layer are cut over ranks, for a picture.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/rank_boxes.hpp"

namespace cnnplan {

// Holds by dim the ranges of a tensor's blocks, by coordinate along the axis that cuts the dim. A
// dim that is not cut has one range.
using DimCuts = std::array<std::vector<Range>, dim_count>;

// Describes an input of a layer. The owned blocks are those of the layer that makes the input, and
// follow its mesh. The needed blocks follow the mesh of the reader.
struct InputCut {
  Shape shape;
  Mesh owner_mesh;
  DimCuts owned;
  DimCuts needed;
  bool operator==(const InputCut&) const = default;
};

struct LayerCut {
  Mesh mesh;
  int stage = 0;
  Shape shape;  // of the output
  DimCuts owned;
  std::vector<InputCut> inputs;  // in their order
  bool operator==(const LayerCut&) const = default;
};

// Holds each different cut once.
struct TensorCuts {
  std::vector<LayerCut> cuts;
  IndexedVector<LayerIndex, std::size_t> of_layer;  // an index of `cuts`
};

// @pre validate(plan) holds
TensorCuts tensor_cuts(const Plan& plan);

}  // namespace cnnplan
