// Holds one rank's part of a tensor, and gathers the parts of all ranks on rank 0.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/mesh.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// Holds one rank's part of a tensor in row-major order.
struct TensorSlice {
  Shape shape;  // of the tensor
  Box box;      // where `values` are in it
  std::vector<double> values;
};

// Returns the ranks that have the same slice of a parameter as `rank`, which is one of them. `mesh`
// is the mesh of the parameter's layer.
RankGroup ranks_with_slice(const Mesh& mesh, int rank);

// Returns the whole tensor, row-major, on rank 0, and an empty list on other ranks. It is
// collective over `world`, and blocks.
// @pre overlapping boxes hold equal values
std::vector<double> gather(const TensorSlice& slice, const Communicator& world);

// Returns the whole parameter, as the function above. `mesh` is the mesh of the parameter's layer.
// Of the ranks with an equal slice, only the lowest sends it.
std::vector<double> gather(const TensorSlice& slice, const Mesh& mesh, const Communicator& world);

}  // namespace cnnplan
