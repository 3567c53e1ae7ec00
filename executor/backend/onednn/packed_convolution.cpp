// A convolution forward over packed panels of inputs, a piece of the output at a time: weights are
// read as they are stored, in blocks of a panel of inputs and one of outputs.
#include <algorithm>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"
#include "executor/backend/onednn/packed_inputs.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

class PackedConvolution {
 public:
  explicit PackedConvolution(const KernelSpec& spec)
      : filters_(spec.out[Dim::c]),
        relu_(spec.relu),
        inputs_(spec),
        output_floats_(window().most_positions() * panel_channels) {}

  std::int64_t workspace_bytes() const {
    return (output_panels() * output_floats_ + inputs_.floats()) *
           static_cast<std::int64_t>(sizeof(float));
  }

  // `bias`: may be null
  void run(const float* x, const float* weight, const float* bias, float* y) const {
    const Workspace workspace(static_cast<std::size_t>(workspace_bytes()));
    auto* const outputs = reinterpret_cast<float*>(workspace.data());
    float* const inputs = outputs + output_panels() * output_floats_;
    for (const PositionBox& piece : window().pieces()) {
      for (std::int64_t begin = 0; begin < inputs_.panels(); begin += inputs_.panels_together()) {
        const std::int64_t end = std::min(begin + inputs_.panels_together(), inputs_.panels());
        inputs_.pack(piece, {begin, end}, x, inputs);
        add_products(piece, {begin, end}, inputs, weight, outputs);
      }
      unpack(piece, outputs, bias, y);
    }
  }

 private:
  const WindowPieces& window() const { return inputs_.window(); }
  std::int64_t output_panels() const { return filters_ / panel_channels; }

  void add_products(const PositionBox& piece,
                    PanelRange panels,
                    const float* inputs,
                    const float* weight,
                    float* outputs) const {
    const std::int64_t block = std::ssize(window().taps()) * panel_channels * panel_channels;
    for (std::int64_t out = 0; out < output_panels(); ++out) {
      for (std::int64_t in = panels.begin; in < panels.end; ++in) {
        convolve_panel(inputs + (in - panels.begin) * inputs_.panel_floats(),
                       {inputs_.offsets(piece), weight + (out * inputs_.panels() + in) * block},
                       piece.positions(),
                       in > 0,
                       outputs + out * output_floats_);
      }
    }
  }

  void unpack(const PositionBox& piece, const float* outputs, const float* bias, float* y) const {
    for (std::int64_t row = 0; row < piece.rows; ++row) {
      const std::int64_t position = (piece.row + row) * window().columns() + piece.column;
      unpack_positions(outputs + row * piece.columns * panel_channels,
                       output_floats_,
                       output_panels(),
                       bias,
                       relu_,
                       filters_,
                       piece.columns,
                       y + position * filters_);
    }
  }

  std::int64_t filters_;
  bool relu_;
  PackedInputs inputs_;
  std::int64_t output_floats_;  // of a panel of y
};

}  // namespace

bool has_packed_convolution(const KernelSpec& spec) {
  return spec.phase == KernelPhase::forward && spec.precision == Precision::fp32 &&
         weight_format(spec) == WeightFormat::blocked && spec.in[Dim::c] % panel_channels == 0 &&
         spec.out[Dim::c] % panel_channels == 0;
}

std::unique_ptr<Kernel> make_packed_convolution(const KernelSpec& spec) {
  PackedConvolution convolution(spec);
  const std::int64_t bytes = convolution.workspace_bytes();
  return std::make_unique<FunctionKernel>(
      "packed panels",
      spec.bias ? 4 : 3,
      [convolution = std::move(convolution), has_bias = spec.bias](Operands operands,
                                                                   const StepState&) {
        convolution.run(operands[0].as<const float>(),
                        operands[1].as<const float>(),
                        has_bias ? operands[2].as<const float>() : nullptr,
                        operands.back().as<float>());
      },
      bytes);
}

}  // namespace cnnplan::onednn
