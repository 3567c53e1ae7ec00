// Holds what finalized cuDNN descriptors describe, as values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include <cudnn.h>

namespace cnnplan::emulation {

using Extents = std::vector<std::int64_t>;

struct Tensor {
  std::int64_t uid = 0;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  Extents dims;
  Extents strides;
  bool is_virtual = false;
  std::int64_t alignment = 0;
  bool operator==(const Tensor&) const = default;
};

struct Convolution {
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
  Extents pre;
  Extents post;
  Extents stride;
  Extents dilation;
};

struct Pointwise {
  cudnnPointwiseMode_t mode = CUDNN_POINTWISE_IDENTITY;
  double lower = 0.0;
  double upper = 0.0;
  double slope = 0.0;
  bool propagates_nan = false;  // else a ReLU takes not-a-number for a number below `lower`
};

enum class OperationKind { forward, backward_data, backward_filter, pointwise, statistics };

// Names tensors by their part in y = x * w, whichever of them is the result. The second input of a
// pointwise operation, if any, is w. Statistics of x are y, the sums, and w, the sums of squares.
struct Operation {
  OperationKind kind = OperationKind::forward;
  Convolution convolution;
  Pointwise pointwise;
  Tensor x;
  Tensor w;
  Tensor y;
  bool has_w = true;
  double alpha = 1.0;  // in a pointwise operation, the factor of x
  double beta = 0.0;   // in a pointwise operation, the factor of w

  bool is_convolution() const {
    return kind != OperationKind::pointwise && kind != OperationKind::statistics;
  }
  // Returns the only output, or the sums.
  const Tensor& output() const;
  std::vector<const Tensor*> outputs() const;
  std::vector<const Tensor*> inputs() const;
  // These values belong to a convolution.
  std::int64_t groups() const { return x.dims[1] / w.dims[1]; }
};

struct Graph {
  std::vector<Operation> operations;
};

struct Engine {
  std::shared_ptr<const Graph> graph;
  std::int64_t index = 0;
};

struct KnobInfo {
  cudnnBackendKnobType_t type = CUDNN_KNOB_TYPE_SWIZZLE;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::int64_t stride = 1;
};

struct KnobChoice {
  cudnnBackendKnobType_t type = CUDNN_KNOB_TYPE_SWIZZLE;
  std::int64_t value = 0;
};

struct EngineConfig {
  Engine engine;
  std::vector<KnobChoice> knobs;
};

struct Heuristic {
  std::vector<EngineConfig> results;
};

struct Plan {
  EngineConfig config;
  std::int64_t workspace_bytes = 0;
};

struct VariantPack {
  std::map<std::int64_t, void*> pointers;
  void* workspace = nullptr;
};

using Content = std::variant<std::monostate,
                             Tensor,
                             Convolution,
                             Pointwise,
                             Operation,
                             std::shared_ptr<const Graph>,
                             Engine,
                             KnobInfo,
                             KnobChoice,
                             EngineConfig,
                             Heuristic,
                             Plan,
                             VariantPack>;

// @throws CudnnError when the values do not describe what cuDNN could run
void check(const Tensor& tensor);
void check(const Convolution& convolution, std::int64_t spatial_dims);
void check(const Operation& operation);
void check(const Graph& graph);

std::int64_t bytes_of(cudnnDataType_t type);
// Returns the bytes from the first to the end of the last element.
std::int64_t extent_bytes(const Tensor& tensor);
std::int64_t volume(const Tensor& tensor);

}  // namespace cnnplan::emulation
