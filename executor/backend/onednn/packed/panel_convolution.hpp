// Computes convolutions of panels, for forward and for backward data.
#pragma once

#include <cstdint>
#include <functional>

#include "executor/backend/onednn/packed/packed_inputs.hpp"

namespace cnnplan::onednn {

// Computes the sums of a convolution, one piece of its outputs after the other. Sizes of memory are
// in floats.
class PanelConvolution {
 public:
  // Prepares the convolution from `spec.in` to `spec.out` by `spec.window`. For backward data, this
  // is the convolution that computes dx from dy.
  // @throws std::logic_error for a spec with groups or an empty extent, or whose channels in and
  // out are not multiples of panel_channels
  explicit PanelConvolution(const KernelSpec& spec);

  const WindowPieces& window() const { return inputs_.window(); }
  // Returns the layout of the sums of a piece.
  const PanelLayout& outputs() const { return outputs_; }
  // Returns how many floats run() needs as its workspace.
  std::int64_t workspace_floats() const {
    return outputs_.panels * outputs_.floats + inputs_.floats();
  }

  // Computes the convolution of `x`, which is dense, and passes the sums of each piece to `write`,
  // in panels as outputs() says. `weight` has the order (panels of outputs, panels of inputs, taps,
  // inputs, outputs), where the last two are the channels of a panel.
  using Write = std::function<void(const PositionBox& piece, const float* sums)>;
  void run(const float* x, const float* weight, float* workspace, const Write& write) const;

 private:
  void add_panels(const PositionBox& piece,
                  PanelRange panels,
                  const float* inputs,
                  const float* weight,
                  float* sums) const;

  PackedInputs inputs_;
  PanelLayout outputs_;
};

}  // namespace cnnplan::onednn
