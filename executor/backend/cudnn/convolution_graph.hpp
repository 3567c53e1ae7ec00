// Describes a convolution as an operation graph of cuDNN.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "executor/backend/cudnn/convolution_variant.hpp"
#include "executor/backend/cudnn/engine_target.hpp"

namespace cnnplan::cudnn {

// Names the tensors of a graph. x and y also stand for dx and dy, w for dw. `products` and `sum`
// are values inside a fused graph: the products before the bias, and the sums before the ReLU.
// `channel_sums` and `channel_squares` are the sums of the outputs and of their squares, in float.
enum class TensorId : std::int64_t {
  x = 1,
  w,
  y,
  bias,
  products,
  sum,
  channel_sums,
  channel_squares
};

// Holds a finalized graph. Activations are channels-last, and weights are (F, KD, KH, KW, C/groups)
// in memory.
struct ConvolutionGraph {
  std::vector<Descriptor> parts;  // the graph refers to them
  Descriptor graph{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
  std::vector<TensorId> tensors;  // whose memory is passed when the graph is executed
};

// Returns the graph of a convolution in any phase. `view` is engine_view(spec, variant). Most
// engines need operands at multiples of 16 bytes. So the graph says that all operands are, unless
// `begins_inside` (KernelConstants).
// @throws BackendError where the library refuses it
ConvolutionGraph make_convolution_graph(const EngineTarget& target,
                                        const KernelSpec& view,
                                        const ConvolutionVariant& variant,
                                        bool begins_inside = false);

}  // namespace cnnplan::cudnn
