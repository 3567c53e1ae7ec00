// Each piece of the output sums what all panels of inputs add, some of which are packed at a time.
#include "executor/backend/onednn/panel_convolution.hpp"

#include <algorithm>

namespace cnnplan::onednn {

PanelConvolution::PanelConvolution(const KernelSpec& spec)
    : inputs_(spec),
      outputs_{.panels = spec.out[Dim::c] / panel_channels,
               .floats = window().most_positions() * panel_channels} {}

void PanelConvolution::run(const float* x,
                           const float* weight,
                           float* workspace,
                           const Write& write) const {
  float* const inputs = workspace + outputs_.panels * outputs_.floats;
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
                                    float* sums) const {
  const std::int64_t block = std::ssize(window().taps()) * panel_block;
  for (std::int64_t out = 0; out < outputs_.panels; ++out) {
    for (std::int64_t in = panels.begin; in < panels.end; ++in) {
      convolve_panel(inputs + (in - panels.begin) * inputs_.panel_floats(),
                     {inputs_.offsets(piece), weight + (out * inputs_.panels() + in) * block},
                     piece.positions(),
                     in > 0,
                     sums + out * outputs_.floats);
    }
  }
}

}  // namespace cnnplan::onednn
