// Packs the copies of the inputs one after another, each row by row.
#include "executor/backend/onednn/packed/packed_inputs.hpp"

#include <algorithm>
#include <stdexcept>

#include "executor/backend/onednn/weight_format.hpp"

namespace cnnplan::onednn {
namespace {

// Memory is read in long stretches, and the packed panels (800 KiB) are near when they are
// multiplied.
constexpr std::int64_t floats_together = std::int64_t{200} << 10;

std::int64_t whole_panels(std::int64_t channels) {
  if (channels <= 0 || channels % panel_channels != 0) {
    throw std::logic_error("channels are no whole panels");
  }
  return channels;
}

}  // namespace

bool has_whole_panels(const KernelSpec& spec) {
  return spec.precision == Precision::fp32 && spec.groups == 1 &&
         spec.in[Dim::c] % panel_channels == 0 && spec.out[Dim::c] % panel_channels == 0;
}

bool has_panel_weights(const KernelSpec& spec) {
  return has_whole_panels(spec) && weight_format(spec) == WeightFormat::blocked;
}

WeightPlaces weight_places(const KernelSpec& convolution) {
  static_assert(panel_channels == weight_block);
  if (!has_whole_panels(convolution)) throw std::logic_error("channels are no whole panels");
  const std::int64_t in = convolution.in[Dim::c];
  const std::int64_t out = convolution.out[Dim::c];
  if (weight_format(convolution) == WeightFormat::rows) {
    return {.per_input_panel = panel_channels * out,
            .per_output_panel = panel_channels,
            .per_tap = in * out,
            .row = out};
  }
  const std::int64_t taps = weight_volume(convolution) / (in * out);
  return {.per_input_panel = taps * panel_block,
          .per_output_panel = in / panel_channels * taps * panel_block,
          .per_tap = panel_block,
          .row = panel_channels};
}

PackedInputs::PackedInputs(const KernelSpec& spec)
    : window_(spec),
      channels_(whole_panels(spec.in[Dim::c])),
      copy_floats_(window_.most_input_positions() * panel_channels),
      panel_floats_(std::ssize(window_.copies()) * copy_floats_),
      panels_together_(std::clamp<std::int64_t>(floats_together / panel_floats_, 1, panels())),
      offsets_(offsets_of(window_.pieces().front())),
      offsets_of_last_columns_(offsets_of(window_.pieces().back())) {}

std::vector<std::int64_t> PackedInputs::offsets_of(const PositionBox& piece) const {
  std::vector<std::int64_t> offsets;
  for (const Tap& tap : window_.taps()) {
    offsets.push_back(tap.copy * copy_floats_ + tap.rows_further * piece.columns * panel_channels);
  }
  return offsets;
}

void PackedInputs::pack(const PositionBox& piece,
                        PanelRange panels,
                        const float* x,
                        float* to) const {
  if (panels.end - panels.begin > panels_together_) throw std::logic_error("too many panels");
  for (const InputCopy& copy : window_.copies()) {
    float* row_to = to;
    for (std::int64_t row = 0; row < piece.rows + window_.rows_beyond(); ++row) {
      pack_row(window_.input_row(piece, copy, row), piece.columns, panels, x, row_to);
      row_to += piece.columns * panel_channels;
    }
    to += copy_floats_;
  }
}

void PackedInputs::pack_row(
    const InputRow& row, std::int64_t columns, PanelRange panels, const float* x, float* to) const {
  const PanelLayout layout{panels.end - panels.begin, panel_floats_};
  pack_zeros(row.zeros_before, layout, to);
  to += row.zeros_before * panel_channels;
  const float* const from = x + row.first * channels_ + panels.begin * panel_channels;
  pack_positions(from, row.step * channels_, row.inside, layout, to);
  to += row.inside * panel_channels;
  pack_zeros(columns - row.zeros_before - row.inside, layout, to);
}

}  // namespace cnnplan::onednn
