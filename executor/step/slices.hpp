// Holds one rank's part of a tensor, cuts it into slices of bounded size, and gathers the parts of
// all ranks on rank 0.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/schedule/schedule.hpp"
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

// A slice has at most this many values (2 MiB of doubles), unless `filter_block` filters have more.
inline constexpr std::int64_t most_slice_values = std::int64_t{1} << 18;

// A function of this type returns the values of a slice of a tensor in plain order (row-major).
using SliceSource = std::function<std::vector<double>(const Box& slice)>;

// Returns how many filters of a tensor of `shape` (F, ...) are converted at once; at least 1.
std::int64_t filters_at_once(const Shape& shape);
// Returns the slices of the slot's box in plain order. `filter_block` is the number of filters that
// the backend stores together (Backend::filter_block). Slices have multiples of it, except that the
// last one may have other filters left.
std::vector<Box> slices_of(const ParameterSlot& slot, std::int64_t filter_block);
// Returns a source that hands out `plain` once, if it is asked for all slices in plain order.
SliceSource in_slices(std::vector<double> plain);

// Returns the box `inner` in indices that count from the begin of `outer` in every dim.
Box inside(const Box& inner, const Box& outer);

// Returns the ranks that have the same slice of a parameter as `rank`, which is one of them. `mesh`
// is the mesh of the parameter's layer.
RankGroup ranks_with_slice(const Mesh& mesh, int rank);

// Gathers a tensor of which each rank has a slice. Returns it whole, in row-major order, on rank 0,
// and an empty list on other ranks. It is collective over `world`, and blocks.
// @pre overlapping boxes hold equal values
std::vector<double> gather(const TensorSlice& slice, const Communicator& world);

// Gathers a parameter as the function above gathers a tensor. `mesh` is the mesh of the parameter's
// layer. Of the ranks with an equal slice, only the lowest sends it.
std::vector<double> gather(const TensorSlice& slice, const Mesh& mesh, const Communicator& world);

}  // namespace cnnplan
