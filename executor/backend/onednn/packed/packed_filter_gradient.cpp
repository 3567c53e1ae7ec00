// Computes the gradient of filters over packed panels. It multiplies pieces of dy with the inputs
// that each tap reads for them.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/packed/packed_inputs.hpp"
#include "executor/backend/onednn/packed/packed_kernels.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

class FilterGradient {
 public:
  explicit FilterGradient(const KernelSpec& spec)
      : filters_(spec.out[Dim::c]),
        inputs_(spec),
        places_(weight_places(spec)),
        outputs_{.panels = filters_ / panel_channels,
                 .floats = window().most_positions() * panel_channels} {}

  std::int64_t workspace_bytes() const {
    return (outputs_.panels * outputs_.floats + inputs_.floats()) *
           static_cast<std::int64_t>(sizeof(float));
  }

  void run(const float* x, const float* dy, float* dweight) const {
    const Workspace workspace(workspace_bytes());
    auto* const outputs = reinterpret_cast<float*>(workspace.data());
    float* const inputs = outputs + outputs_.panels * outputs_.floats;
    for (const PositionBox& piece : window().pieces()) {
      const bool adds = piece.row > 0 || piece.column > 0;
      pack_outputs(piece, dy, outputs);
      for (std::int64_t begin = 0; begin < inputs_.panels(); begin += inputs_.panels_together()) {
        const std::int64_t end = std::min(begin + inputs_.panels_together(), inputs_.panels());
        inputs_.pack(piece, {begin, end}, x, inputs);
        multiply(piece, {begin, end}, inputs, outputs, adds, dweight);
      }
    }
  }

 private:
  const WindowPieces& window() const { return inputs_.window(); }

  void pack_outputs(const PositionBox& piece, const float* dy, float* to) const {
    for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
      const float* const from = dy + (row * window().columns() + piece.column) * filters_;
      pack_positions(from, filters_, piece.columns, outputs_, to);
      to += piece.columns * panel_channels;
    }
  }

  // `inputs` holds the inputs of `panels`, and `outputs` all outputs of the piece.
  void multiply(const PositionBox& piece,
                PanelRange panels,
                const float* inputs,
                const float* outputs,
                bool adds,
                float* dweight) const {
    for (std::int64_t out = 0; out < outputs_.panels; ++out) {
      for (std::int64_t in = panels.begin; in < panels.end; ++in) {
        multiply_taps(piece,
                      inputs + (in - panels.begin) * inputs_.panel_floats(),
                      outputs + out * outputs_.floats,
                      adds,
                      dweight + places_.begin(in, out, 0));
      }
    }
  }

  void multiply_taps(
      const PositionBox& piece, const float* x, const float* dy, bool adds, float* sums) const {
    for (const std::int64_t offset : inputs_.offsets(piece)) {
      multiply_panels(x + offset, dy, piece.positions(), adds, places_.row, sums);
      sums += places_.per_tap;
    }
  }

  std::int64_t filters_;
  PackedInputs inputs_;
  WeightPlaces places_;
  PanelLayout outputs_;  // of dy
};

}  // namespace

std::unique_ptr<Kernel> make_packed_filter_gradient(const KernelSpec& spec) {
  if (spec.bias) throw std::logic_error("a gradient over packed panels has no bias");
  FilterGradient gradient(spec);
  const std::int64_t bytes = gradient.workspace_bytes();
  return std::make_unique<FunctionKernel>(
      "packed panels",
      spec,
      [gradient = std::move(gradient)](const OperandsByRole& operands, const StepState&) {
        gradient.run(operands[Role::x].as<const float>(),
                     operands[Role::dy].as<const float>(),
                     operands[Role::dweight].as<float>());
      },
      bytes);
}

}  // namespace cnnplan::onednn
