// The gradient of a filter as products of packed panels: pieces of the output's gradient with the
// inputs that each tap reads for them. Kernels of oneDNN 2.6 for AVX2 reach 56 to 85 % of what
// these do.
#include <algorithm>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"
#include "executor/backend/onednn/panels.hpp"
#include "executor/backend/onednn/thin_product_loops.hpp"
#include "executor/backend/onednn/weight_format.hpp"
#include "executor/backend/onednn/window_pieces.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Inputs that are packed at a time: long stretches of memory, which are near when they are read.
constexpr std::int64_t packed_input_bytes = std::int64_t{800} << 10;

// Where the 16x16 sums of a tap and two panels are in the stored gradient.
struct GradientPlaces {
  std::int64_t input_panel = 0;
  std::int64_t output_panel = 0;
  std::int64_t tap = 0;
  std::int64_t row = 0;  // from one input channel to the next
};

GradientPlaces places_of(const KernelSpec& spec, std::int64_t taps) {
  const std::int64_t in = spec.in[Dim::c];
  const std::int64_t out = spec.out[Dim::c];
  if (weight_format(spec) == WeightFormat::rows) {
    return {.input_panel = panel_channels * out,
            .output_panel = panel_channels,
            .tap = in * out,
            .row = out};
  }
  constexpr std::int64_t block = panel_channels * panel_channels;
  return {.input_panel = taps * block,
          .output_panel = in / panel_channels * taps * block,
          .tap = block,
          .row = panel_channels};
}

struct PanelRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class FilterGradient {
 public:
  explicit FilterGradient(const KernelSpec& spec)
      : channels_(spec.in[Dim::c]),
        filters_(spec.out[Dim::c]),
        pieces_(spec),
        places_(places_of(spec, std::ssize(pieces_.taps()))),
        output_floats_(pieces_.most_positions() * panel_channels),
        copy_floats_(pieces_.most_input_positions() * panel_channels),
        input_floats_(std::ssize(pieces_.copies()) * copy_floats_),
        inputs_together_(std::clamp<std::int64_t>(
            packed_input_bytes / (input_floats_ * static_cast<std::int64_t>(sizeof(float))),
            1,
            channels_ / panel_channels)) {}

  std::int64_t workspace_bytes() const {
    return (filters_ / panel_channels * output_floats_ + inputs_together_ * input_floats_) *
           static_cast<std::int64_t>(sizeof(float));
  }

  void run(const float* x, const float* dy, float* dweight) const {
    const Workspace workspace(static_cast<std::size_t>(workspace_bytes()));
    auto* const outputs = reinterpret_cast<float*>(workspace.data());
    float* const inputs = outputs + filters_ / panel_channels * output_floats_;
    const std::int64_t panels = channels_ / panel_channels;
    for (const PositionBox& piece : pieces_.pieces()) {
      pack_outputs(piece, dy, outputs);
      for (std::int64_t begin = 0; begin < panels; begin += inputs_together_) {
        const PanelRange range{begin, std::min(begin + inputs_together_, panels)};
        pack_inputs(piece, range, x, inputs);
        multiply(piece, range, inputs, outputs, dweight);
      }
    }
  }

 private:
  void pack_outputs(const PositionBox& piece, const float* dy, float* to) const {
    for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
      const float* const from = dy + (row * pieces_.columns() + piece.column) * filters_;
      pack_positions(from, filters_, piece.columns, filters_ / panel_channels, output_floats_, to);
      to += piece.columns * panel_channels;
    }
  }

  void pack_inputs(const PositionBox& piece, PanelRange panels, const float* x, float* to) const {
    for (const InputCopy& copy : pieces_.copies()) {
      float* row_to = to;
      for (std::int64_t row = 0; row < piece.rows + pieces_.rows_beyond(); ++row) {
        pack_input_row(pieces_.input_row(piece, copy, row), piece.columns, panels, x, row_to);
        row_to += piece.columns * panel_channels;
      }
      to += copy_floats_;
    }
  }

  void pack_input_row(const InputRow& row,
                      std::int64_t columns,
                      PanelRange panels,
                      const float* x,
                      float* to) const {
    const std::int64_t count = panels.end - panels.begin;
    pack_zeros(row.zeros_before, count, input_floats_, to);
    to += row.zeros_before * panel_channels;
    const float* const from = x + row.first * channels_ + panels.begin * panel_channels;
    pack_positions(from, row.step * channels_, row.inside, count, input_floats_, to);
    to += row.inside * panel_channels;
    pack_zeros(columns - row.zeros_before - row.inside, count, input_floats_, to);
  }

  // `inputs` are those of `panels`, `outputs` all of the piece.
  void multiply(const PositionBox& piece,
                PanelRange panels,
                const float* inputs,
                const float* outputs,
                float* dweight) const {
    const std::int64_t output_panels = filters_ / panel_channels;
    for (std::int64_t out = 0; out < output_panels; ++out) {
      for (std::int64_t in = panels.begin; in < panels.end; ++in) {
        multiply_taps(piece,
                      inputs + (in - panels.begin) * input_floats_,
                      outputs + out * output_floats_,
                      dweight + in * places_.input_panel + out * places_.output_panel);
      }
    }
  }

  void multiply_taps(const PositionBox& piece, const float* x, const float* dy, float* sums) const {
    const bool adds = &piece != &pieces_.pieces().front();
    for (const Tap& tap : pieces_.taps()) {
      const std::int64_t offset =
          tap.copy * copy_floats_ + tap.rows_further * piece.columns * panel_channels;
      multiply_panels(x + offset, dy, piece.positions(), adds, places_.row, sums);
      sums += places_.tap;
    }
  }

  std::int64_t channels_;
  std::int64_t filters_;
  WindowPieces pieces_;
  GradientPlaces places_;
  std::int64_t output_floats_;    // of a panel of dy
  std::int64_t copy_floats_;      // of a panel of a copy of x
  std::int64_t input_floats_;     // of a panel of all copies of x
  std::int64_t inputs_together_;  // panels of x
};

}  // namespace

bool has_packed_filter_gradient(const KernelSpec& spec) {
  const WeightFormat format = weight_format(spec);
  return spec.phase == KernelPhase::backward_filter && spec.precision == Precision::fp32 &&
         (format == WeightFormat::rows || format == WeightFormat::blocked) &&
         spec.in[Dim::c] % panel_channels == 0 && spec.out[Dim::c] % panel_channels == 0;
}

std::unique_ptr<Kernel> make_packed_filter_gradient(const KernelSpec& spec) {
  FilterGradient gradient(spec);
  const std::int64_t bytes = gradient.workspace_bytes();
  const ProductSizes sizes{.rows = volume(spec.out) / spec.out[Dim::c],
                           .depth = spec.in[Dim::c],
                           .filters = spec.out[Dim::c]};
  return std::make_unique<FunctionKernel>(
      "packed panels",
      spec.bias ? 4 : 3,
      [gradient = std::move(gradient), sizes, bias = spec.bias](Operands operands,
                                                                const StepState&) {
        const auto* const dy = operands[1].as<const float>();
        gradient.run(operands[0].as<const float>(), dy, operands[2].as<float>());
        if (bias) sum_rows(sizes, dy, operands[3].as<float>());
      },
      bytes);
}

}  // namespace cnnplan::onednn
