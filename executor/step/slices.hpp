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

// Returns `inner` in the indices of a tensor that begins where `outer` begins.
Box inside(const Box& inner, const Box& outer);

// Returns the ranks that have the same slice of a parameter as `rank`, which is one of them. `mesh`
// is the mesh of the parameter's layer.
RankGroup ranks_with_slice(const Mesh& mesh, int rank);

// Returns the whole tensor on rank 0, and nothing on other ranks. It is collective.
// @pre overlapping boxes hold equal values
std::vector<double> gather(const TensorSlice& slice, const Communicator& world);

// Returns the whole parameter on rank 0, where `mesh` is the mesh of its layer. The
// first of the ranks with a slice sends it. It is collective.
std::vector<double> gather(const TensorSlice& slice, const Mesh& mesh, const Communicator& world);

}  // namespace cnnplan
