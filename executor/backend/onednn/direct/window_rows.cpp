// Gathers row by row of the outputs, and skips taps that meet the padding: the block is cleared
// before.
#include "executor/backend/onednn/direct/window_rows.hpp"

#include "executor/backend/half.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"

namespace cnnplan::onednn {
namespace {

std::int64_t input_of(const WindowDim& dim, std::int64_t output, std::int64_t tap) {
  return output * dim.stride - dim.padding_begin + tap * dim.dilation;
}

std::int64_t quotient_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// Rows of few channels are too short to be copied one by one. Then each channel of a tap is a
// column, whose positions follow each other.
bool by_columns(const RowBlock& block) {
  constexpr std::int64_t few_channels = 4;
  return block.channels.size() <= few_channels;
}

bool is_inside(std::int64_t index, std::int64_t length) {
  return index >= 0 && index < length;
}

// Returns a range with all taps that meet one of `inputs` inputs from one of the outputs.
Range taps_between(const WindowDim& dim,
                   std::int64_t first,
                   std::int64_t last,
                   std::int64_t inputs) {
  Range taps{0, dim.kernel};
  while (taps.begin < taps.end && input_of(dim, last, taps.begin) < 0) ++taps.begin;
  while (taps.begin < taps.end && input_of(dim, first, taps.end - 1) >= inputs) --taps.end;
  return taps;
}

}  // namespace

WindowRows::WindowRows(const KernelSpec& convolution)
    : spec_(convolution), positions_(volume(spec_.out) / spec_.out[Dim::c]), taps_(1) {
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const WindowDim& dim = spec_.window.dims[i];
    const Dim axis = spatial_dims[i];
    taps_ *= dim.kernel;
    has_padding_ = has_padding_ || !is_inside(input_of(dim, 0, 0), spec_.in[axis]) ||
                   !is_inside(input_of(dim, spec_.out[axis] - 1, dim.kernel - 1), spec_.in[axis]);
  }
}

WindowRows::Place WindowRows::place_of(std::int64_t position) const {
  const std::int64_t row = position / spec_.out[Dim::w];
  const std::int64_t plane = row / spec_.out[Dim::h];
  return {.n = plane / spec_.out[Dim::d],
          .d = plane % spec_.out[Dim::d],
          .h = row % spec_.out[Dim::h],
          .w = position % spec_.out[Dim::w]};
}

// Looks at the outermost dim that has several taps, where the positions are in one sample or plane.
Range WindowRows::taps_inside(Range positions) const {
  const auto& [depth, height, width] = spec_.window.dims;
  const Place first = place_of(positions.begin);
  const Place last = place_of(positions.end - 1);
  if (first.n != last.n) return {0, taps_};
  if (depth.kernel > 1) {
    const Range taps = taps_between(depth, first.d, last.d, spec_.in[Dim::d]);
    const std::int64_t inner = height.kernel * width.kernel;
    return {taps.begin * inner, taps.end * inner};
  }
  if (first.d != last.d) return {0, taps_};
  const Range taps = taps_between(height, first.h, last.h, spec_.in[Dim::h]);
  return {taps.begin * width.kernel, taps.end * width.kernel};
}

template <typename T>
ConstMatrix WindowRows::gather(const T* x, const RowBlock& block, float* memory) const {
  if (has_padding_) std::fill_n(memory, block.positions.size() * block.columns(), 0.0F);
  const std::int64_t step = by_columns(block) ? 1 : block.columns();
  float* to = memory;
  for (std::int64_t position = block.positions.begin; position < block.positions.end;) {
    const Place place = place_of(position);
    const std::int64_t columns =
        std::min(block.positions.end - position, spec_.out[Dim::w] - place.w);
    gather_row(x, place, columns, block, to);
    position += columns;
    to += columns * step;
  }
  return {.data = memory,
          .step = by_columns(block) ? block.positions.size() : block.columns(),
          .by_columns = by_columns(block)};
}

template <typename T>
void WindowRows::gather_row(
    const T* x, const Place& place, std::int64_t columns, const RowBlock& block, float* to) const {
  const auto& [depth, height, width] = spec_.window.dims;
  const Shape& in = spec_.in;
  const std::int64_t tap_step =
      block.channels.size() * (by_columns(block) ? block.positions.size() : 1);
  for (std::int64_t tap = block.taps.begin; tap < block.taps.end;) {
    const std::int64_t line = tap / width.kernel;
    const std::int64_t end = std::min((line + 1) * width.kernel, block.taps.end);
    const std::int64_t d = input_of(depth, place.d, line / height.kernel);
    const std::int64_t h = input_of(height, place.h, line % height.kernel);
    if (is_inside(d, in[Dim::d]) && is_inside(h, in[Dim::h])) {
      const std::int64_t row = ((place.n * in[Dim::d] + d) * in[Dim::h] + h) * in[Dim::w];
      for (std::int64_t i = tap; i < end; ++i) {
        gather_tap(x + row * in[Dim::c] + block.channels.begin,
                   input_of(width, place.w, i % width.kernel),
                   columns,
                   block,
                   to + (i - block.taps.begin) * tap_step);
      }
    }
    tap = end;
  }
}

// Column j meets the input first + j * stride.
template <typename T>
void WindowRows::gather_tap(const T* row,
                            std::int64_t first,
                            std::int64_t columns,
                            const RowBlock& block,
                            float* to) const {
  const std::int64_t stride = spec_.window.dims[2].stride;
  const std::int64_t begin = first < 0 ? quotient_up(-first, stride) : 0;
  const std::int64_t inputs = spec_.in[Dim::w] - first;
  const std::int64_t end = inputs > 0 ? std::min(quotient_up(inputs, stride), columns) : 0;
  if (begin >= end) return;
  const T* const from = row + (first + begin * stride) * spec_.in[Dim::c];
  CopySteps steps{.positions = end - begin,
                  .channels = block.channels.size(),
                  .from = stride * spec_.in[Dim::c]};
  if (by_columns(block)) {
    steps.to = block.positions.size();
    copy_columns(from, steps, to + begin);
  } else {
    steps.to = block.columns();
    copy_rows(from, steps, to + begin * steps.to);
  }
}

template ConstMatrix WindowRows::gather(const float*, const RowBlock&, float*) const;
template ConstMatrix WindowRows::gather(const BFloat16*, const RowBlock&, float*) const;

}  // namespace cnnplan::onednn
