// Computes the gradient of a convolution's input over packed panels. Each class of inputs that see
// equal taps is a convolution of dy without stride.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/packed/input_classes.hpp"
#include "executor/backend/onednn/packed/packed_kernels.hpp"
#include "executor/backend/onednn/packed/panel_convolution.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

// Joins a class and the convolution that makes its gradient.
struct Part {
  InputClass inputs;
  PanelConvolution convolution;
};

std::vector<Part> parts_of(const KernelSpec& spec) {
  std::vector<Part> parts;
  for (InputClass& one : input_classes(spec)) {
    PanelConvolution convolution(one.convolution);
    parts.push_back({std::move(one), std::move(convolution)});
  }
  return parts;
}

class BackwardData {
 public:
  explicit BackwardData(const KernelSpec& spec)
      : spec_(spec), places_(weight_places(spec)), parts_(parts_of(spec)) {
    for (const Part& part : parts_) {
      floats_ = std::max(floats_, part.convolution.workspace_floats() + weight_floats(part));
      reached_ += volume(part.inputs.convolution.out);
    }
  }

  std::int64_t workspace_bytes() const {
    return floats_ * static_cast<std::int64_t>(sizeof(float));
  }

  void run(const float* dy, const float* weight, float* dx) const {
    if (reached_ < volume(spec_.in)) std::fill_n(dx, volume(spec_.in), 0.0F);
    const Workspace workspace(workspace_bytes());
    auto* const weights = reinterpret_cast<float*>(workspace.data());
    for (const Part& part : parts_) {
      transpose_weights(part, weight, weights);
      const auto write_piece = [&](const PositionBox& piece, const float* sums) {
        write(part, piece, sums, dx);
      };
      part.convolution.run(dy, weights, weights + weight_floats(part), std::ref(write_piece));
    }
  }

 private:
  std::int64_t weight_floats(const Part& part) const {
    return std::ssize(part.inputs.taps) * spec_.in[Dim::c] * spec_.out[Dim::c];
  }

  void transpose_weights(const Part& part, const float* weight, float* to) const {
    for (std::int64_t in = 0; in < spec_.in[Dim::c] / panel_channels; ++in) {
      for (std::int64_t out = 0; out < spec_.out[Dim::c] / panel_channels; ++out) {
        for (const std::int64_t tap : part.inputs.taps) {
          transpose_block(weight + places_.begin(in, out, tap), places_.row, to);
          to += panel_block;
        }
      }
    }
  }

  void write(const Part& part, const PositionBox& piece, const float* sums, float* dx) const {
    const std::int64_t columns = part.convolution.window().columns();
    for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
      write_run(part, row * columns + piece.column, piece.columns, sums, dx);
      sums += piece.columns * panel_channels;
    }
  }

  // Writes the positions of the class from `position` on, which may continue in its next rows.
  void write_run(const Part& part,
                 std::int64_t position,
                 std::int64_t count,
                 const float* sums,
                 float* dx) const {
    const std::int64_t width = part.inputs.convolution.out[Dim::w];
    while (count > 0) {
      const std::int64_t here = std::min(count, width - position % width);
      unpack_positions(sums,
                       part.convolution.outputs(),
                       {},
                       spec_.window.dims[2].stride * spec_.in[Dim::c],
                       here,
                       dx + input_position(spec_, part.inputs, position) * spec_.in[Dim::c]);
      sums += here * panel_channels;
      position += here;
      count -= here;
    }
  }

  KernelSpec spec_;
  WeightPlaces places_;
  std::vector<Part> parts_;
  std::int64_t floats_ = 0;
  std::int64_t reached_ = 0;  // elements of dx that have a gradient
};

}  // namespace

std::unique_ptr<Kernel> make_packed_backward_data(const KernelSpec& spec) {
  BackwardData gradient(spec);
  const std::int64_t bytes = gradient.workspace_bytes();
  return std::make_unique<FunctionKernel>(
      "packed panels",
      spec,
      [gradient = std::move(gradient)](const OperandsByRole& operands, const StepState&) {
        gradient.run(operands[Role::dy].as<const float>(),
                     operands[Role::weight].as<const float>(),
                     operands[Role::dx].as<float>());
      },
      bytes);
}

}  // namespace cnnplan::onednn
