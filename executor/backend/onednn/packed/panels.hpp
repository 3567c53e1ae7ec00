// Multiplies tensors that were packed so that their inner loop reads memory in order.
#pragma once

#include <cstdint>
#include <span>

namespace cnnplan::onednn {

// A panel has this many channels of consecutive positions: (positions, panel_channels).
inline constexpr std::int64_t panel_channels = 16;
// A tap has this number of weights between a panel of inputs and a panel of outputs.
inline constexpr std::int64_t panel_block = panel_channels * panel_channels;

// Lays out the panels of one tensor. Each begins `floats` floats after the one before.
struct PanelLayout {
  std::int64_t panels = 0;
  std::int64_t floats = 0;
};

// Packs the channels of `count` positions, which are `step` floats apart, into the panels at `to`.
// Panel i gets channels [16 i, 16 (i + 1)).
void pack_positions(
    const float* from, std::int64_t step, std::int64_t count, const PanelLayout& layout, float* to);
// Writes `count` positions of zeros into each panel.
void pack_zeros(std::int64_t count, const PanelLayout& layout, float* to);

// In multiply_panels() and add_products(), `sums` overlaps nothing else, and nothing has to be
// aligned. With `adds`, they add to the earlier content of `sums`.

// Computes sums[i][j], the sum over `positions` of x[p][i] * y[p][j]. Rows of `sums` are `step`
// floats apart.
// @pre x and y are panels
void multiply_panels(const float* x,
                     const float* y,
                     std::int64_t positions,
                     bool adds,
                     std::int64_t step,
                     float* sums);

// Says what windows read of some panels of inputs, and holds the weights of one panel of outputs.
struct PanelProducts {
  PanelLayout inputs;
  std::span<const std::int64_t> offsets;  // of the taps, in floats from the first position's inputs
  const float* weights = nullptr;  // (panels of inputs, taps, inputs, outputs), the last two 16
};
// Computes sums[p][j], the sum over panels of inputs, taps and inputs i of
// x[16 p + offsets[tap] + i] * weights[tap][i][j]. For each panel, x and weights begin with those
// of the panel. @pre sums is a panel
void add_products(
    const float* x, const PanelProducts& products, std::int64_t positions, bool adds, float* sums);

// Says what is done with sums before they become outputs.
struct OutputFinish {
  const float* bias = nullptr;  // of each channel; null: none
  bool relu = false;
};

// Reverses pack_positions, and finishes the outputs: writes `count` positions that are `step`
// floats apart, with the bias and after the ReLU.
void unpack_positions(const float* from,
                      const PanelLayout& layout,
                      const OutputFinish& finish,
                      std::int64_t step,
                      std::int64_t count,
                      float* to);
// Computes to[j][i] = from[i][j], 16 x 16, out of place. Rows of `from` are `step` floats apart.
void transpose_block(const float* from, std::int64_t step, float* to);

}  // namespace cnnplan::onednn
