// Computes a convolution forward over packed panels of inputs. Weights are read as they are stored.
#include <functional>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/packed/packed_kernels.hpp"
#include "executor/backend/onednn/packed/panel_convolution.hpp"
#include "executor/backend/onednn/workspace.hpp"

namespace cnnplan::onednn {
namespace {

void write(const KernelSpec& spec,
           const PanelConvolution& convolution,
           const PositionBox& piece,
           const float* sums,
           const float* bias,
           float* y) {
  const std::int64_t filters = spec.out[Dim::c];
  const OutputFinish finish{bias, spec.relu};
  for (std::int64_t row = piece.row; row < piece.row + piece.rows; ++row) {
    const std::int64_t position = row * convolution.window().columns() + piece.column;
    float* const to = y + position * filters;
    unpack_positions(sums, convolution.outputs(), finish, filters, piece.columns, to);
    sums += piece.columns * panel_channels;
  }
}

}  // namespace

std::unique_ptr<Kernel> make_packed_convolution(const KernelSpec& spec) {
  PanelConvolution convolution(spec);
  const auto bytes = convolution.workspace_floats() * static_cast<std::int64_t>(sizeof(float));
  return std::make_unique<FunctionKernel>(
      "packed panels",
      spec,
      [convolution = std::move(convolution), spec, bytes](const OperandsByRole& operands,
                                                          const StepState&) {
        const Workspace workspace(bytes);
        const float* const bias = spec.bias ? operands[Role::bias].as<const float>() : nullptr;
        auto* const y = operands[Role::y].as<float>();
        const auto write_piece = [&](const PositionBox& piece, const float* sums) {
          write(spec, convolution, piece, sums, bias, y);
        };
        convolution.run(operands[Role::x].as<const float>(),
                        operands[Role::weight].as<const float>(),
                        reinterpret_cast<float*>(workspace.data()),
                        std::ref(write_piece));
      },
      bytes);
}

}  // namespace cnnplan::onednn
