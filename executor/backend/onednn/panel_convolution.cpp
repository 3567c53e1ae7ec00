// Each piece of the output sums what all panels of inputs add, some of which are packed at a time.
#include "executor/backend/onednn/panel_convolution.hpp"

#include <algorithm>

namespace cnnplan::onednn {

PanelConvolution::PanelConvolution(const KernelSpec& spec)
    : inputs_(spec),
      output_panels_(spec.out[Dim::c] / panel_channels),
      output_floats_(window().most_positions() * panel_channels) {}

void PanelConvolution::run(const float* x,
                           const float* weight,
                           float* workspace,
                           const Write& write) const {
  float* const inputs = workspace + output_panels_ * output_floats_;
  for (const PositionBox& piece : window().pieces()) {
    for (std::int64_t begin = 0; begin < inputs_.panels(); begin += inputs_.panels_together()) {
      const std::int64_t end = std::min(begin + inputs_.panels_together(), inputs_.panels());
      inputs_.pack(piece, {begin, end}, x, inputs);
      add_products(piece, {begin, end}, inputs, weight, workspace);
    }
    write(piece, workspace);
  }
}

void PanelConvolution::add_products(const PositionBox& piece,
                                    PanelRange panels,
                                    const float* inputs,
                                    const float* weight,
                                    float* outputs) const {
  const std::int64_t block = std::ssize(window().taps()) * panel_channels * panel_channels;
  for (std::int64_t out = 0; out < output_panels_; ++out) {
    for (std::int64_t in = panels.begin; in < panels.end; ++in) {
      convolve_panel(inputs + (in - panels.begin) * inputs_.panel_floats(),
                     {inputs_.offsets(piece), weight + (out * inputs_.panels() + in) * block},
                     piece.positions(),
                     in > 0,
                     outputs + out * output_floats_);
    }
  }
}

}  // namespace cnnplan::onednn
