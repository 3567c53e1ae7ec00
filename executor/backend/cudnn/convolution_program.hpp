// Holds one convolution in one variant with one engine, ready to run.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "executor/backend/cudnn/convolution_graph.hpp"
#include "executor/backend/cudnn/engine.hpp"
#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// Holds the operands of any phase, in memory of the device. x and y also stand for dx and dy, w for
// dw, bias for dbias.
struct ConvolutionOperands {
  void* x = nullptr;
  void* w = nullptr;
  void* bias = nullptr;  // null: none
  void* y = nullptr;
  // A variant with statistics writes the operand `sums` of a batch norm's forward_statistics of y.
  void* sums = nullptr;
  // The engine of this variant writes floats to these parts of the workspace.
  void* channel_sums = nullptr;
  void* channel_squares = nullptr;
  auto operator<=>(const ConvolutionOperands&) const = default;
};

// Runs the convolution. After the first run, runs with equal operands allocate nothing, so that a
// graph can capture them.
class ConvolutionProgram {
 public:
  // Keeps a reference to the library. `graph` is make_convolution_graph() of the variant.
  // @throws BackendError where the engine cannot compute it
  ConvolutionProgram(Library& library,
                     const KernelSpec& spec,
                     const ConvolutionVariant& variant,
                     const ConvolutionGraph& graph,
                     const Engine& engine);

  // Puts the convolution in the selected queue, with its bias and ReLU, or with the gradient of the
  // bias. @throws BackendError, DeviceLostError, and InfeasibleError where the workspace does not
  // fit
  void run(const ConvolutionOperands& operands);
  // Returns the bytes of all parts of the workspace.
  std::int64_t workspace_bytes() const;
  // Returns the engine's part of the workspace.
  std::int64_t engine_bytes() const { return layout_.engine_bytes; }
  // Returns a name such as "engine 38 k2=5 padded".
  std::string name() const { return to_text(engine_) + to_text(variant_); }

 private:
  // It holds the bytes of each part of the workspace, in their order.
  struct Layout {
    std::int64_t engine_bytes = 0;
    std::int64_t buffer_bytes = 0;  // of the padded input
    std::int64_t narrow_bytes = 0;  // of the 16-bit dweight or bias
    std::int64_t floats_bytes = 0;  // of the engine's sums, and of its sums of squares
    std::int64_t sums_bytes = 0;    // for the gradient of the bias, or for statistics
  };

  void copy_input(void* x, void* buffer, bool into_buffer);
  void execute(const ConvolutionOperands& operands, void* workspace);
  TensorView view_of_bias(const ConvolutionOperands& operands) const;
  TensorView view_of_y(const ConvolutionOperands& operands) const;
  void add_bias_and_clip(const ConvolutionOperands& operands);
  void reduce_bias(const ConvolutionOperands& operands, void* sums);
  void complete_sums(const ConvolutionOperands& seen, void* sums);

  Library& library_;
  KernelSpec spec_;
  KernelSpec view_;
  ConvolutionVariant variant_;
  Engine engine_;
  std::vector<TensorId> tensors_;
  Descriptor plan_;
  Layout layout_;
  // The variant pack was made for these.
  ConvolutionOperands packed_operands_;
  void* packed_workspace_ = nullptr;
  Descriptor pack_{CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR};
  bool is_packed_ = false;
};

}  // namespace cnnplan::cudnn
