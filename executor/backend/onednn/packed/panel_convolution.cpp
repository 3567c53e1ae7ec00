// Adds the products of all panels of inputs for each piece of the output. Some panels are packed at
// a time.
#include "executor/backend/onednn/packed/panel_convolution.hpp"

#include <algorithm>
#include <stdexcept>

namespace cnnplan::onednn {
namespace {

// Such blocks of weights stay in the first cache while all positions of a piece meet them: 12 KiB.
constexpr std::int64_t blocks_together = 12;

}  // namespace

PanelConvolution::PanelConvolution(const KernelSpec& spec)
    : inputs_(spec),
      outputs_{.panels = spec.out[Dim::c] / panel_channels,
               .floats = window().most_positions() * panel_channels} {
  if (spec.out[Dim::c] % panel_channels != 0) throw std::logic_error("outputs are no whole panels");
}

void PanelConvolution::run(const float* x,
                           const float* weight,
                           float* workspace,
                           const Write& write) const {
  float* const inputs = workspace + outputs_.panels * outputs_.floats;
  for (const PositionBox& piece : window().pieces()) {
    for (std::int64_t begin = 0; begin < inputs_.panels(); begin += inputs_.panels_together()) {
      const std::int64_t end = std::min(begin + inputs_.panels_together(), inputs_.panels());
      inputs_.pack(piece, {begin, end}, x, inputs);
      add_panels(piece, {begin, end}, inputs, weight, workspace);
    }
    write(piece, workspace);
  }
}

void PanelConvolution::add_panels(const PositionBox& piece,
                                  PanelRange panels,
                                  const float* inputs,
                                  const float* weight,
                                  float* sums) const {
  const std::span<const std::int64_t> offsets = inputs_.offsets(piece);
  const std::int64_t taps = std::ssize(offsets);
  const std::int64_t together = std::max<std::int64_t>(1, blocks_together / taps);
  for (std::int64_t out = 0; out < outputs_.panels; ++out) {
    for (std::int64_t in = panels.begin; in < panels.end; in += together) {
      const PanelLayout layout{std::min(together, panels.end - in), inputs_.panel_floats()};
      add_products(inputs + (in - panels.begin) * layout.floats,
                   {layout, offsets, weight + (out * inputs_.panels() + in) * taps * panel_block},
                   piece.positions(),
                   in > 0,
                   sums + out * outputs_.floats);
    }
  }
}

}  // namespace cnnplan::onednn
