// Packs the inputs of a convolution into panels, as the taps of its window read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "executor/backend/onednn/packed/panels.hpp"
#include "executor/backend/onednn/packed/window_pieces.hpp"

namespace cnnplan::onednn {

// Returns true for convolutions in fp32 without groups, whose channels in and out are multiples of
// panel_channels.
bool has_whole_panels(const KernelSpec& spec);
// Returns true if, in addition, weights have the format `blocked` (weight_format.hpp). The longest
// side of the window is then 2 or 3.
bool has_panel_weights(const KernelSpec& spec);
// Says where the 16 x 16 weights of one tap between a panel of inputs and a panel of outputs are in
// stored weights. All numbers are in floats.
struct WeightPlaces {
  // Returns the place of the first of these weights.
  std::int64_t begin(std::int64_t input_panel, std::int64_t output_panel, std::int64_t tap) const {
    return input_panel * per_input_panel + output_panel * per_output_panel + tap * per_tap;
  }

  std::int64_t per_input_panel = 0;   // from one panel of inputs to the next
  std::int64_t per_output_panel = 0;  // from one panel of outputs to the next
  std::int64_t per_tap = 0;           // from one tap to the next
  std::int64_t row = 0;               // from one input channel to the next
};
// Returns the places in the weight of a convolution. @throws std::logic_error unless
// has_whole_panels(convolution)
WeightPlaces weight_places(const KernelSpec& convolution);

// Holds a half-open range of panels.
struct PanelRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// A piece is a rectangle of output positions (PositionBox). A panel has panel_channels channels of
// its inputs. Says where these panels lie, and packs them. Sizes are in floats.
class PackedInputs {
 public:
  // @throws std::logic_error when `spec` has groups or an empty extent, or unless its input
  // channels are a multiple of panel_channels
  explicit PackedInputs(const KernelSpec& spec);

  const WindowPieces& window() const { return window_; }
  // Returns the number of panels of the inputs.
  std::int64_t panels() const { return channels_ / panel_channels; }
  // Returns how many panels are packed at a time.
  std::int64_t panels_together() const { return panels_together_; }
  // Returns the size of one packed panel for the largest piece. It holds all copies (InputCopy) of
  // the inputs one after another, each shifted as some taps read them.
  std::int64_t panel_floats() const { return panel_floats_; }
  // Returns the size of all panels that are packed at a time.
  std::int64_t floats() const { return panels_together_ * panel_floats_; }
  // Returns by tap where it reads the first position of `piece`, in floats from the begin of a
  // packed panel. `piece` is one of window().pieces().
  std::span<const std::int64_t> offsets(const PositionBox& piece) const {
    const bool is_widest = piece.columns == window_.pieces().front().columns;
    return is_widest ? offsets_ : offsets_of_last_columns_;
  }
  // Writes these panels of the inputs of `piece` to `to`, each panel_floats() after the one before,
  // with zeros for the padding.
  // @pre x is dense. @throws std::logic_error when `panels` are more than panels_together()
  void pack(const PositionBox& piece, PanelRange panels, const float* x, float* to) const;

 private:
  std::vector<std::int64_t> offsets_of(const PositionBox& piece) const;
  void pack_row(const InputRow& row,
                std::int64_t columns,
                PanelRange panels,
                const float* x,
                float* to) const;

  WindowPieces window_;
  std::int64_t channels_;
  std::int64_t copy_floats_;
  std::int64_t panel_floats_;
  std::int64_t panels_together_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> offsets_of_last_columns_;
};

}  // namespace cnnplan::onednn
