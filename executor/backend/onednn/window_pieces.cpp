// Pieces are as large as panels that stay in the first cache; taps of one column share a copy.
#include "executor/backend/onednn/window_pieces.hpp"

#include <algorithm>

namespace cnnplan::onednn {
namespace {

constexpr std::int64_t wanted_positions = 200;  // panels of 16 floats: 12.5 KiB
constexpr std::int64_t most_columns = 64;
// Smaller images are put one behind another, each tap with a copy of its own: pieces of one image
// would be too short.
constexpr std::int64_t smallest_shared_image = 100;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Products without a window have no rows that matter: a column of positions can be cut anywhere.
KernelSpec as_column(KernelSpec spec) {
  Shape expected = spec.out;
  expected[Dim::c] = spec.in[Dim::c];
  if (spec.window != Window{} || spec.in != expected) return spec;
  const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
  spec.in = {{1, spec.in[Dim::c], 1, positions, 1}};
  spec.out = {{1, spec.out[Dim::c], 1, positions, 1}};
  return spec;
}

struct Place {
  std::int64_t n = 0, d = 0, h = 0;
};

Place place_of(const Shape& out, std::int64_t row) {
  const std::int64_t slice = row / out[Dim::h];
  return {slice / out[Dim::d], slice % out[Dim::d], row % out[Dim::h]};
}

bool shares_rows_of(const KernelSpec& spec) {
  return spec.window.dims[1].kernel > 1 &&
         spec.out[Dim::h] * spec.out[Dim::w] >= smallest_shared_image;
}

}  // namespace

WindowPieces::WindowPieces(const KernelSpec& spec) : spec_(as_column(spec)) {
  const bool shares_rows = shares_rows_of(spec_);
  add_taps(shares_rows);
  add_pieces(shares_rows);
}

void WindowPieces::add_taps(bool shares_rows) {
  const auto& [d, h, w] = spec_.window.dims;
  for (std::int64_t z = 0; z < d.kernel; ++z) {
    for (std::int64_t y = 0; y < h.kernel; ++y) {
      for (std::int64_t x = 0; x < w.kernel; ++x) {
        const std::int64_t further = shares_rows ? y * h.dilation / h.stride : 0;
        const InputCopy copy{z * d.dilation, y * h.dilation - further * h.stride, x * w.dilation};
        const auto found = std::find(copies_.begin(), copies_.end(), copy);
        taps_.push_back({found - copies_.begin(), further});
        if (found == copies_.end()) copies_.push_back(copy);
        rows_beyond_ = std::max(rows_beyond_, further);
      }
    }
  }
}

void WindowPieces::add_pieces(bool shares_rows) {
  const Shape& out = spec_.out;
  const std::int64_t all_rows = out[Dim::n] * out[Dim::d] * out[Dim::h];
  const std::int64_t run = shares_rows ? out[Dim::h] : all_rows;  // no piece goes beyond one
  const std::int64_t columns = quotient_up(out[Dim::w], quotient_up(out[Dim::w], most_columns));
  const std::int64_t parts =
      std::max<std::int64_t>(1, (run * columns + wanted_positions / 2) / wanted_positions);
  const std::int64_t rows = quotient_up(run, parts);
  for (std::int64_t begin = 0; begin < all_rows; begin += run) {
    for (std::int64_t row = 0; row < run; row += rows) {
      for (std::int64_t column = 0; column < out[Dim::w]; column += columns) {
        pieces_.push_back({.row = begin + row,
                           .rows = std::min(rows, run - row),
                           .column = column,
                           .columns = std::min(columns, out[Dim::w] - column)});
      }
    }
  }
}

std::int64_t WindowPieces::most_positions() const {
  return pieces_.front().positions();
}

std::int64_t WindowPieces::most_input_positions() const {
  return (pieces_.front().rows + rows_beyond_) * pieces_.front().columns;
}

InputRow WindowPieces::input_row(const PositionBox& piece,
                                 const InputCopy& copy,
                                 std::int64_t row) const {
  // Rows beyond a piece may be beyond its image, too: they are not those of the next one.
  Place place = place_of(spec_.out, rows_beyond_ > 0 ? piece.row : piece.row + row);
  if (rows_beyond_ > 0) place.h += row;
  const auto& [depth, down, across] = spec_.window.dims;
  const std::int64_t d = place.d * depth.stride + copy.d - depth.padding_begin;
  const std::int64_t h = place.h * down.stride + copy.h - down.padding_begin;
  const std::int64_t w = piece.column * across.stride + copy.w - across.padding_begin;
  const Shape& in = spec_.in;
  if (d < 0 || d >= in[Dim::d] || h < 0 || h >= in[Dim::h] || w >= in[Dim::w]) return {};
  const std::int64_t before = w < 0 ? std::min(quotient_up(-w, across.stride), piece.columns) : 0;
  const std::int64_t end = std::min(quotient_up(in[Dim::w] - w, across.stride), piece.columns);
  return {.first = ((place.n * in[Dim::d] + d) * in[Dim::h] + h) * in[Dim::w] + w +
                   before * across.stride,
          .step = across.stride,
          .inside = std::max<std::int64_t>(end - before, 0),
          .zeros_before = before};
}

}  // namespace cnnplan::onednn
