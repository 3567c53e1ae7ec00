// Cuts a convolution's output positions into pieces, and finds the inputs that the taps of its
// window read for each.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Holds a rectangle of output positions. Rows are counted over (n, d, h), and columns over w. For a
// convolution without a window (1x1x1), all positions are columns of one row.
struct PositionBox {
  std::int64_t row = 0;      // the first row
  std::int64_t rows = 0;     // their number
  std::int64_t column = 0;   // the first column
  std::int64_t columns = 0;  // their number
  std::int64_t positions() const { return rows * columns; }
};

// Describes a copy of inputs in the order of output positions, which one or several taps read. The
// copy has at output o the input o * stride + offset - padding, in each of d, h and w. The fields
// are the offsets.
struct InputCopy {
  std::int64_t d = 0, h = 0, w = 0;
  bool operator==(const InputCopy&) const = default;
};

// Says where a tap of the window finds its inputs.
struct Tap {
  std::int64_t copy = 0;          // an index of WindowPieces::copies()
  std::int64_t rows_further = 0;  // added to the row of an output, counted from the piece's first
};

// Says where the columns of a row of a copy come from. If the whole row is padding, `inside` is 0.
struct InputRow {
  std::int64_t first = 0;   // position of `in`, counted over (n, d, h, w), of column `zeros_before`
  std::int64_t step = 0;    // positions from one column to the next
  std::int64_t inside = 0;  // columns that are not padding
  std::int64_t zeros_before = 0;  // columns of padding before the others
};

// Knows the pieces, copies and taps of one convolution.
class WindowPieces {
 public:
  // @throws std::logic_error when `spec` has groups or an empty extent
  explicit WindowPieces(const KernelSpec& spec);

  const std::vector<PositionBox>& pieces() const { return pieces_; }
  const std::vector<InputCopy>& copies() const { return copies_; }
  const std::vector<Tap>& taps() const { return taps_; }  // in the order of the kernel's (d, h, w)
  // Returns the rows that copies have beyond the rows of a piece, as taps of several heights share
  // a copy.
  std::int64_t rows_beyond() const { return rows_beyond_; }
  std::int64_t most_positions() const;        // of a piece
  std::int64_t most_input_positions() const;  // of a copy of the inputs of a piece
  // Returns how many columns a row of all outputs has.
  std::int64_t columns() const { return spec_.out[Dim::w]; }
  // Returns the inputs of a row of a copy, which counts from the first row of the piece.
  // @pre 0 <= row < piece.rows + rows_beyond()
  InputRow input_row(const PositionBox& piece, const InputCopy& copy, std::int64_t row) const;

 private:
  void add_taps(bool shares_rows);
  void add_pieces(bool shares_rows);

  KernelSpec spec_;
  std::vector<PositionBox> pieces_;
  std::vector<InputCopy> copies_;
  std::vector<Tap> taps_;
  std::int64_t rows_beyond_ = 0;
};

}  // namespace cnnplan::onednn
