// Parts of plain tensors: what a rank has of a parameter whose channels are split.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// One rank's part of a tensor, row-major.
struct TensorSlice {
  Shape shape;  // of the tensor
  Box box;      // what of it `values` are
  std::vector<double> values;
};

// The whole tensor on rank 0, empty elsewhere. Where boxes overlap they hold the same. Collective.
std::vector<double> gather(const TensorSlice& slice, const Communicator& world);

// The same of a parameter. `mesh` is that of its layer: ranks that differ along
// other axes than c have equal slices, and one of them sends. Collective.
std::vector<double> gather(const TensorSlice& slice, const Mesh& mesh, const Communicator& world);

}  // namespace cnnplan
