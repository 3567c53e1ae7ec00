// Convolutions of panels: what forward and backward data have in common.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/onednn/packed_inputs.hpp"

namespace cnnplan::onednn {

// Sizes are in floats.
class PanelConvolution {
 public:
  // A panel of outputs has panel_floats(). @pre channels in and out of `spec` are whole panels
  explicit PanelConvolution(const KernelSpec& spec);

  const WindowPieces& window() const { return inputs_.window(); }
  std::int64_t output_panels() const { return output_panels_; }
  std::int64_t panel_floats() const { return output_floats_; }
  std::int64_t workspace_floats() const {
    return output_panels_ * output_floats_ + inputs_.floats();
  }

  // Hands the outputs of each piece, in panels, to `write`. `x` is dense; `weight` are blocks
  // (panels of outputs, panels of inputs, taps, inputs, outputs), the last two of a panel.
  using Write = std::function<void(const PositionBox& piece, const float* outputs)>;
  void run(const float* x, const float* weight, float* workspace, const Write& write) const;

 private:
  void add_products(const PositionBox& piece,
                    PanelRange panels,
                    const float* inputs,
                    const float* weight,
                    float* outputs) const;

  PackedInputs inputs_;
  std::int64_t output_panels_;
  std::int64_t output_floats_;
};

}  // namespace cnnplan::onednn
