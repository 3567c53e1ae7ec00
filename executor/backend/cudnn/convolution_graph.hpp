// Describes a convolution as an operation graph of cuDNN.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "executor/backend/cudnn/convolution_variant.hpp"
#include "executor/backend/cudnn/engine_target.hpp"

namespace cnnplan::cudnn {

// These are the tensors of a graph. x and y also stand for dx and dy, w for dw.
enum class TensorId : std::int64_t { x = 1, w, y, bias, products, sum };

// Activations are channels-last, and weights are (F, KD, KH, KW, C/groups) in memory.
struct ConvolutionGraph {
  std::vector<Descriptor> parts;  // the graph refers to them
  Descriptor graph{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
  std::vector<TensorId> tensors;  // they are passed when it is executed
};

// `view` is engine_view(spec, variant). @throws BackendError
ConvolutionGraph make_convolution_graph(const EngineTarget& target,
                                        const KernelSpec& view,
                                        const ConvolutionVariant& variant);

}  // namespace cnnplan::cudnn
