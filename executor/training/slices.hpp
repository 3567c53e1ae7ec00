// Parts of plain tensors: what a rank has of a parameter whose channels are split.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/model/box.hpp"
#include "planner/model/mesh.hpp"

namespace cnnplan {

// Calls visit(position, count) for the runs of elements of `box`, in order, that are one behind the
// other in the row-major tensor of `shape`; position is that of the first in the tensor.
// @pre `box` lies in the tensor
void for_each_run(const Shape& shape,
                  const Box& box,
                  const std::function<void(std::int64_t position, std::int64_t count)>& visit);

// One rank's part of a tensor, row-major.
struct Slice {
  Shape shape;  // of the tensor
  Box box;      // what of it `values` are
  std::vector<double> values;
};

// The whole tensor on rank 0, empty elsewhere. `mesh` is that of its layer: ranks that differ along
// other axes than c have equal slices, and one of them sends. Collective.
std::vector<double> gather(const Slice& slice, const Mesh& mesh, const Communicator& world);

}  // namespace cnnplan
