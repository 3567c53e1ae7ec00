// Tensors put together on rank 0.
#include "executor/step/slices.hpp"

#include <algorithm>
#include <span>

#include "planner/tensor/rank_group.hpp"

namespace cnnplan {
namespace {

void put(const Shape& shape, const Box& box, std::span<const double> values, double* tensor) {
  for_each_run(shape, box, [&](std::int64_t position, std::int64_t count) {
    std::copy_n(values.begin(), count, tensor + position);
    values = values.subspan(count);
  });
}

std::vector<double> gather_from(bool sends, const TensorSlice& slice, const Communicator& world) {
  const std::span<const double> own(slice.values);
  const std::span<const Box> box(&slice.box, sends ? 1 : 0);
  const auto boxes = world.gather(box, 0);
  const auto values = world.gather(sends ? own : own.first(0), 0);
  if (world.rank() != 0) return {};
  std::vector<double> tensor(volume(slice.shape));
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    if (!boxes[rank].empty()) put(slice.shape, boxes[rank][0], values[rank], tensor.data());
  }
  return tensor;
}

}  // namespace

Box inside(const Box& inner, const Box& outer) {
  Box moved = inner;
  for (const Dim dim : all_dims) moved = shifted(moved, dim, -outer[dim].begin);
  return moved;
}

RankGroup ranks_with_slice(const Mesh& mesh, int rank) {
  return RankGroup(mesh, rank, {Axis::c, Axis::l});
}

std::vector<double> gather(const TensorSlice& slice, const Communicator& world) {
  return gather_from(!is_empty(slice.box), slice, world);
}

std::vector<double> gather(const TensorSlice& slice, const Mesh& mesh, const Communicator& world) {
  const int first = ranks_with_slice(mesh, world.rank()).front();
  return gather_from(first == world.rank(), slice, world);
}

}  // namespace cnnplan
