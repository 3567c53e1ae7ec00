// Compares pieces of convolutions with direct indexing, for windows of every kind.
#include "executor/backend/onednn/packed/window_pieces.hpp"

#include <array>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::onednn {
namespace {

using test::Random;

KernelSpec random_convolution(Random& random) {
  KernelSpec spec;
  spec.in = {{random.integer(1, 3), 16, 1, 1, 1}};
  spec.out = spec.in;
  const bool deep = random.integer(0, 2) == 0;
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    spec.window.dims[i] = {.kernel = random.integer(1, 4),
                           .stride = random.integer(1, 5),
                           .padding_begin = random.integer(-6, 12),
                           .dilation = random.integer(1, 5)};
    spec.in[spatial_dims[i]] = random.integer(1, deep ? 6 : 20);
    spec.out[spatial_dims[i]] = random.integer(1, deep ? 6 : 20);
  }
  if (random.integer(0, 3) == 0) spec.out[Dim::w] += random.integer(0, 120);
  if (random.integer(0, 6) == 0) {
    spec.window = Window{};
    spec.in = spec.out;
  }
  return spec;
}

using Place = std::optional<std::int64_t>;  // none in the padding

// Returns the place that tap (d, h, w) reads for an output position.
Place expected_input(const KernelSpec& spec,
                     std::int64_t position,
                     const std::array<std::int64_t, 3>& tap) {
  std::array<std::int64_t, 3> place{};
  for (std::size_t i = 3; i-- > 0;) {
    const std::int64_t length = spec.out[spatial_dims[i]];
    const WindowDim& dim = spec.window.dims[i];
    place[i] = position % length * dim.stride + tap[i] * dim.dilation - dim.padding_begin;
    position /= length;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t length = spec.in[spatial_dims[i]];
    if (place[i] < 0 || place[i] >= length) return std::nullopt;
    position = position * length + place[i];
  }
  return position;
}

// Returns a copy of the inputs of a piece, position by position.
std::vector<Place> copied(const WindowPieces& pieces,
                          const PositionBox& piece,
                          const InputCopy& copy) {
  std::vector<Place> places;
  for (std::int64_t row = 0; row < piece.rows + pieces.rows_beyond(); ++row) {
    const InputRow from = pieces.input_row(piece, copy, row);
    for (std::int64_t column = 0; column < piece.columns; ++column) {
      const std::int64_t inside = column - from.zeros_before;
      const bool is_padding = inside < 0 || inside >= from.inside;
      places.push_back(is_padding ? Place() : Place(from.first + inside * from.step));
    }
  }
  return places;
}

std::vector<std::array<std::int64_t, 3>> all_taps(const Window& window) {
  std::vector<std::array<std::int64_t, 3>> taps;
  for (std::int64_t d = 0; d < window.dims[0].kernel; ++d) {
    for (std::int64_t h = 0; h < window.dims[1].kernel; ++h) {
      for (std::int64_t w = 0; w < window.dims[2].kernel; ++w) taps.push_back({d, h, w});
    }
  }
  return taps;
}

// Returns false where a tap reads another input.
bool reads_what_it_should(const KernelSpec& spec,
                          const WindowPieces& pieces,
                          const PositionBox& piece) {
  std::vector<std::vector<Place>> copies;
  for (const InputCopy& copy : pieces.copies()) copies.push_back(copied(pieces, piece, copy));
  const auto taps = all_taps(spec.window);
  for (std::int64_t i = 0; i < piece.positions(); ++i) {
    const std::int64_t row = piece.row + i / piece.columns;
    const std::int64_t position = row * pieces.columns() + piece.column + i % piece.columns;
    for (std::size_t tap = 0; tap < taps.size(); ++tap) {
      const Tap& found = pieces.taps()[tap];
      const auto& copy = copies[static_cast<std::size_t>(found.copy)];
      const Place read = copy[static_cast<std::size_t>(i + found.rows_further * piece.columns)];
      if (read != expected_input(spec, position, taps[tap])) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("window_pieces: each output is in one piece, each tap finds its input") {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    const KernelSpec spec = random_convolution(random);
    INFO(to_text(spec));
    const WindowPieces pieces(spec);
    std::vector<int> seen(static_cast<std::size_t>(volume(spec.out) / spec.out[Dim::c]), 0);
    for (const PositionBox& piece : pieces.pieces()) {
      CHECK(piece.positions() <= pieces.most_positions());
      CHECK((piece.rows + pieces.rows_beyond()) * piece.columns <= pieces.most_input_positions());
      for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
        for (std::int64_t column = 0; column < piece.columns; ++column) {
          ++seen.at(static_cast<std::size_t>(row * pieces.columns() + piece.column + column));
        }
      }
      CHECK(reads_what_it_should(spec, pieces, piece));
    }
    CHECK(seen == std::vector<int>(seen.size(), 1));
  }
}

TEST_CASE("window_pieces: taps of a column share inputs where that is less to pack") {
  KernelSpec spec;
  spec.in = spec.out = {{1, 16, 1, 33, 33}};
  const auto copies = [&](std::int64_t stride, std::int64_t dilation) {
    spec.window.dims[1] = {.kernel = 3, .stride = stride, .dilation = dilation};
    spec.window.dims[2] = {.kernel = 3};
    return WindowPieces(spec).copies().size();
  };
  CHECK(copies(1, 1) == 3);
  CHECK(copies(2, 1) == 6);
  CHECK(copies(2, 2) == 3);
  CHECK(copies(4, 1) == 9);
  CHECK(copies(1, 12) == 9);
}

}  // namespace cnnplan::onednn
