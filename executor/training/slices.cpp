// Runs of elements, and tensors put together on rank 0.
#include "executor/training/slices.hpp"

#include <array>

#include "planner/model/rank_group.hpp"

namespace cnnplan {
namespace {

// How many of the last dims are whole in the box.
std::size_t whole_dims(const Shape& shape, const Box& box) {
  std::size_t count = 0;
  while (count < dim_count) {
    const std::size_t dim = dim_count - 1 - count;
    if (box.ranges[dim] != Range{0, shape.extents[dim]}) break;
    ++count;
  }
  return count;
}

void put(const Shape& shape, const Box& box, std::span<const double> values, double* tensor) {
  for_each_run(shape, box, [&](std::int64_t position, std::int64_t count) {
    std::copy_n(values.begin(), count, tensor + position);
    values = values.subspan(static_cast<std::size_t>(count));
  });
}

}  // namespace

void for_each_run(const Shape& shape,
                  const Box& box,
                  const std::function<void(std::int64_t position, std::int64_t count)>& visit) {
  if (is_empty(box)) return;
  const std::size_t whole = whole_dims(shape, box);
  // The run goes over the whole dims and the range of the one before them.
  const std::size_t outer = dim_count - std::min(dim_count, whole + 1);
  std::int64_t run = 1;
  for (std::size_t dim = outer; dim < dim_count; ++dim) run *= box.ranges[dim].size();
  std::array<std::int64_t, dim_count> index{};
  for (std::size_t dim = 0; dim < dim_count; ++dim) index[dim] = box.ranges[dim].begin;
  for (;;) {
    std::int64_t position = 0;
    for (std::size_t dim = 0; dim < dim_count; ++dim) {
      position = position * shape.extents[dim] + index[dim];
    }
    visit(position, run);
    std::size_t dim = outer;
    while (dim > 0 && ++index[dim - 1] == box.ranges[dim - 1].end) {
      index[dim - 1] = box.ranges[dim - 1].begin;
      --dim;
    }
    if (dim == 0) return;
  }
}

std::vector<double> gather(const Slice& slice, const Mesh& mesh, const Communicator& world) {
  const int first = RankGroup(mesh, world.rank(), {Axis::c}).front();
  const bool is_first = first == world.rank();
  const std::span<const double> own(slice.values);
  const std::span<const Box> box(&slice.box, is_first ? 1 : 0);
  const auto boxes = world.gather(box, 0);
  const auto values = world.gather(is_first ? own : own.first(0), 0);
  if (world.rank() != 0) return {};
  std::vector<double> tensor(static_cast<std::size_t>(volume(slice.shape)));
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    if (!boxes[rank].empty()) put(slice.shape, boxes[rank][0], values[rank], tensor.data());
  }
  return tensor;
}

}  // namespace cnnplan
