// Cuts slots along the filters, so that each slice is contiguous in plain order, and puts tensors
// together on rank 0.
#include "executor/step/slices.hpp"

#include <algorithm>
#include <span>
#include <utility>

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

std::int64_t filters_at_once(const Shape& shape) {
  const std::int64_t values = volume(shape);
  if (values == 0) return 1;
  return std::max<std::int64_t>(1, most_slice_values / (values / shape[Dim::n]));
}

std::vector<Box> slices_of(const ParameterSlot& slot, std::int64_t filter_block) {
  const Range filters = slot.box[Dim::n];
  const std::int64_t blocks = filters_at_once(shape_of(slot.box)) / filter_block;
  const std::int64_t step = std::max<std::int64_t>(1, blocks) * filter_block;
  std::vector<Box> slices;
  for (std::int64_t first = filters.begin; first < filters.end; first += step) {
    slices.push_back(slot.box);
    slices.back()[Dim::n] = {first, std::min(first + step, filters.end)};
  }
  return slices;
}

SliceSource in_slices(std::vector<double> plain) {
  return [plain = std::move(plain), next = std::int64_t{0}](const Box& slice) mutable {
    const auto begin = plain.begin() + next;
    next += volume(slice);
    return std::vector<double>(begin, plain.begin() + next);
  };
}

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
