// Cuts samples first, then depths, rows and columns, so that most blocks are contiguous in memory.
#include "executor/backend/onednn/convolution/position_blocks.hpp"

#include <algorithm>
#include <array>

#include "planner/tensor/window.hpp"

namespace cnnplan::onednn {
namespace {

constexpr std::array<Dim, 4> outer_to_inner{Dim::n, Dim::d, Dim::h, Dim::w};

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Returns the extents of a block.
Shape block_shape(const Shape& out, std::int64_t most_positions) {
  Shape block = out;
  std::int64_t within = volume(out) / out[Dim::c];  // positions with one index of the dims before
  for (const Dim dim : outer_to_inner) {
    within /= out[dim];
    if (within <= most_positions) {
      const std::int64_t most = most_positions / within;
      block[dim] = quotient_up(out[dim], quotient_up(out[dim], most));
      break;
    }
    block[dim] = 1;
  }
  return block;
}

PositionBlock block_at(const KernelSpec& spec, const Box& out) {
  PositionBlock block{.out = out, .in = whole(spec.in), .spec = spec};
  block.in[Dim::n] = out[Dim::n];
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    if (out[dim].size() == spec.out[dim]) continue;
    const WindowBlock window = window_block(out[dim], spec.in[dim], spec.window.dims[i]);
    block.in[dim] = window.input;
    block.spec.window.dims[i].padding_begin = window.padding_begin;
    block.spec.window.dims[i].padding_end = window.padding_end;
  }
  block.spec.in = shape_of(block.in);
  block.spec.out = shape_of(block.out);
  return block;
}

}  // namespace

void for_each_position_block(const KernelSpec& convolution,
                             std::int64_t most_positions,
                             const std::function<void(const PositionBlock&)>& f) {
  const Shape& out = convolution.out;
  const Shape shape = block_shape(out, most_positions);
  Box box = whole(out);
  const auto for_each_range = [&](Dim dim, const auto& visit) {
    for (std::int64_t begin = 0; begin < out[dim]; begin += shape[dim]) {
      box[dim] = {begin, std::min(begin + shape[dim], out[dim])};
      visit();
    }
  };
  for_each_range(Dim::n, [&] {
    for_each_range(Dim::d, [&] {
      for_each_range(Dim::h,
                     [&] { for_each_range(Dim::w, [&] { f(block_at(convolution, box)); }); });
    });
  });
}

}  // namespace cnnplan::onednn
