// Gathers row by row of the outputs, so that taps outside of the inputs are found once for a row.
#include "executor/backend/onednn/direct/window_rows.hpp"

#include "executor/backend/half.hpp"
#include "executor/backend/onednn/direct/direct_loops.hpp"

namespace cnnplan::onednn {
namespace {

std::int64_t input_of(const WindowDim& dim, std::int64_t output, std::int64_t tap) {
  return output * dim.stride - dim.padding_begin + tap * dim.dilation;
}

bool is_inside(std::int64_t index, std::int64_t length) {
  return index >= 0 && index < length;
}

}  // namespace

WindowRows::WindowRows(const KernelSpec& convolution)
    : spec_(convolution), positions_(volume(spec_.out) / spec_.out[Dim::c]), taps_(1) {
  for (const WindowDim& dim : spec_.window.dims) taps_ *= dim.kernel;
}

WindowRows::Place WindowRows::place_of(std::int64_t position) const {
  const std::int64_t row = position / spec_.out[Dim::w];
  const std::int64_t plane = row / spec_.out[Dim::h];
  return {.n = plane / spec_.out[Dim::d],
          .d = plane % spec_.out[Dim::d],
          .h = row % spec_.out[Dim::h],
          .w = position % spec_.out[Dim::w]};
}

template <typename T>
void WindowRows::gather(const T* x, const RowBlock& block, float* rows) const {
  for (std::int64_t position = block.positions.begin; position < block.positions.end;) {
    const Place place = place_of(position);
    const std::int64_t columns =
        std::min(block.positions.end - position, spec_.out[Dim::w] - place.w);
    gather_columns(x, place, columns, block, rows);
    position += columns;
    rows += columns * block.columns();
  }
}

// Neighbouring inputs follow each other with all their channels, so they are copied at once.
template <typename T>
void WindowRows::gather_columns(
    const T* x, const Place& place, std::int64_t columns, const RowBlock& block, float* to) const {
  const auto& [depth, height, width] = spec_.window.dims;
  const Shape& in = spec_.in;
  const bool has_neighbours = width.dilation == 1 && block.channels.size() == in[Dim::c];
  ColumnRun run{.stride = width.stride,
                .columns = columns,
                .inputs = in[Dim::w],
                .taps = 1,
                .channels = block.channels.size(),
                .input_step = in[Dim::c],
                .row_step = block.columns()};
  for (std::int64_t tap = block.taps.begin; tap < block.taps.end; tap += run.taps) {
    const std::int64_t across = tap % width.kernel;
    const std::int64_t line = tap / width.kernel;
    if (has_neighbours) run.taps = std::min(width.kernel - across, block.taps.end - tap);
    run.first = input_of(width, place.w, across);
    const std::int64_t d = input_of(depth, place.d, line / height.kernel);
    const std::int64_t h = input_of(height, place.h, line % height.kernel);
    if (is_inside(d, in[Dim::d]) && is_inside(h, in[Dim::h])) {
      const std::int64_t row = (place.n * in[Dim::d] + d) * in[Dim::h] + h;
      copy_columns(x + row * in[Dim::w] * in[Dim::c] + block.channels.begin, run, to);
    } else {
      clear_columns(run, to);
    }
    to += run.taps * run.channels;
  }
}

template void WindowRows::gather(const float*, const RowBlock&, float*) const;
template void WindowRows::gather(const BFloat16*, const RowBlock&, float*) const;

}  // namespace cnnplan::onednn
