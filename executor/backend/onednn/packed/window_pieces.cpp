// Cuts positions into pieces that fit into the first cache as a panel. Taps of one column share a
// copy where the copy is less to pack.
#include "executor/backend/onednn/packed/window_pieces.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace cnnplan::onednn {
namespace {

constexpr std::int64_t wanted_positions = 200;  // panels of 16 floats: 12.5 KiB, at most 18.7
constexpr std::int64_t most_columns = 64;       // pieces of several rows have less around them
// Smaller images are packed one after another, each tap with a copy of its own. Pieces of one image
// would be too short.
constexpr std::int64_t smallest_shared_image = 100;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Products without a window have no rows that matter. All positions are one row, which can be cut
// anywhere.
KernelSpec as_row(KernelSpec spec) {
  Shape expected = spec.out;
  expected[Dim::c] = spec.in[Dim::c];
  if (spec.window != Window{} || spec.in != expected) return spec;
  const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
  spec.in = {{1, spec.in[Dim::c], 1, 1, positions}};
  spec.out = {{1, spec.out[Dim::c], 1, 1, positions}};
  return spec;
}

struct Place {
  std::int64_t n = 0, d = 0, h = 0;
};

Place place_of(const Shape& out, std::int64_t row) {
  const std::int64_t slice = row / out[Dim::h];
  return {slice / out[Dim::d], slice % out[Dim::d], row % out[Dim::h]};
}

std::int64_t rows_in(const Shape& out) {
  return out[Dim::n] * out[Dim::d] * out[Dim::h];
}

// Returns the length of parts that are as near to `wanted` as possible.
std::int64_t length_of_parts(std::int64_t length, std::int64_t wanted) {
  const std::int64_t parts = std::max<std::int64_t>(1, (length + wanted / 2) / wanted);
  return quotient_up(length, parts);
}

std::int64_t columns_of(const KernelSpec& spec) {
  const std::int64_t all = spec.out[Dim::w];
  if (rows_in(spec.out) == 1) return length_of_parts(all, wanted_positions);
  return quotient_up(all, quotient_up(all, most_columns));
}

// Returns the rows of a piece, where images are cut into runs of `run` rows.
std::int64_t rows_of(const KernelSpec& spec, std::int64_t run) {
  const std::int64_t columns = columns_of(spec);
  return length_of_parts(run, std::max<std::int64_t>(1, wanted_positions / columns));
}

bool shares_rows_of(const KernelSpec& spec) {
  const WindowDim& down = spec.window.dims[1];
  if (spec.out[Dim::h] * spec.out[Dim::w] < smallest_shared_image) return false;
  const std::int64_t rows = rows_of(spec, spec.out[Dim::h]);
  const std::int64_t beyond = (down.kernel - 1) * down.dilation / down.stride;
  // Taps share a copy where their inputs are a whole number of strides apart.
  const std::int64_t classes =
      std::min(down.kernel, down.stride / std::gcd(down.stride, down.dilation));
  return classes * (rows + beyond) < down.kernel * rows;
}

}  // namespace

WindowPieces::WindowPieces(const KernelSpec& spec) : spec_(as_row(spec)) {
  if (spec.groups != 1 || volume(spec.in) * volume(spec.out) == 0) {
    throw std::logic_error("groups or empty extents have no pieces");
  }
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
  const std::int64_t all_rows = rows_in(out);
  const std::int64_t run = shares_rows ? out[Dim::h] : all_rows;  // no piece goes beyond one
  const std::int64_t columns = columns_of(spec_);
  const std::int64_t rows = rows_of(spec_, run);
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
  // Rows beyond a piece may be beyond its image, too. They do not belong to the next image.
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
  if (end <= before) return {};
  return {.first = ((place.n * in[Dim::d] + d) * in[Dim::h] + h) * in[Dim::w] + w +
                   before * across.stride,
          .step = across.stride,
          .inside = end - before,
          .zeros_before = before};
}

}  // namespace cnnplan::onednn
