// Builds and runs cuDNN graphs for the tests of the emulation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cudnn.h>
#include <doctest/doctest.h>

namespace cnnplan::test {

using Extents = std::vector<std::int64_t>;
using BackendDescriptor = cudnnBackendDescriptor_t;

inline BackendDescriptor make(cudnnBackendDescriptorType_t type) {
  BackendDescriptor made = nullptr;
  REQUIRE(cudnnBackendCreateDescriptor(type, &made) == CUDNN_STATUS_SUCCESS);
  return made;
}

template <typename T>
cudnnStatus_t set(BackendDescriptor of,
                  cudnnBackendAttributeName_t attribute,
                  cudnnBackendAttributeType_t type,
                  const std::vector<T>& values) {
  return cudnnBackendSetAttribute(
      of, attribute, type, static_cast<std::int64_t>(values.size()), values.data());
}
inline cudnnStatus_t set(BackendDescriptor of,
                         cudnnBackendAttributeName_t attribute,
                         const std::vector<BackendDescriptor>& values) {
  return set(of, attribute, CUDNN_TYPE_BACKEND_DESCRIPTOR, values);
}
inline cudnnStatus_t set(BackendDescriptor of,
                         cudnnBackendAttributeName_t attribute,
                         const Extents& values) {
  return set(of, attribute, CUDNN_TYPE_INT64, values);
}

inline std::string last_error() {
  std::string text(256, '\0');
  cudnnGetLastErrorString(text.data(), text.size());
  text.resize(text.find('\0'));
  return text;
}

inline BackendDescriptor finished(BackendDescriptor made) {
  const cudnnStatus_t status = cudnnBackendFinalize(made);
  INFO(last_error());
  REQUIRE(status == CUDNN_STATUS_SUCCESS);
  return made;
}

struct TensorSpec {
  std::int64_t uid = 0;
  Extents dims;
  Extents strides;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  bool is_virtual = false;
};
BackendDescriptor tensor(const TensorSpec& spec);
// Returns strides for the dims (N, C, spatial...): channels-last and dense.
Extents channels_last(const Extents& dims);
Extents dense(const Extents& dims);

struct ConvolutionSpec {
  Extents pre, post, stride, dilation;
  cudnnDataType_t compute = CUDNN_DATA_FLOAT;
};
BackendDescriptor convolution(const ConvolutionSpec& spec);

enum class Direction { forward, backward_data, backward_filter };
// Holds the ids of x, w and y, or of their gradients.
struct ConvolutionOperation {
  Direction direction = Direction::forward;
  ConvolutionSpec convolution;
  TensorSpec x, w, y;
  double alpha = 1.0;
  double beta = 0.0;
};
BackendDescriptor operation(const ConvolutionOperation& spec);
BackendDescriptor pointwise(cudnnPointwiseMode_t mode,
                            const std::vector<TensorSpec>& inputs,
                            const TensorSpec& output);
// Makes the operation that sums each channel of x, and the squares of its elements.
BackendDescriptor statistics(const TensorSpec& x,
                             const TensorSpec& sums,
                             const TensorSpec& squares);
BackendDescriptor graph(cudnnHandle_t handle, const std::vector<BackendDescriptor>& operations);

// Returns the results of the heuristics; empty when they know none.
std::vector<BackendDescriptor> heuristics(BackendDescriptor graph, cudnnBackendHeurMode_t mode);
BackendDescriptor engine_config(BackendDescriptor graph,
                                std::int64_t engine,
                                const std::map<cudnnBackendKnobType_t, std::int64_t>& knobs = {});
// Returns a plan that is not finalized.
BackendDescriptor plan(cudnnHandle_t handle, BackendDescriptor config);
std::int64_t workspace_bytes(BackendDescriptor plan);
std::int64_t engine_of(BackendDescriptor config);
cudnnStatus_t execute(cudnnHandle_t handle,
                      BackendDescriptor plan,
                      const std::map<std::int64_t, void*>& pointers,
                      void* workspace = nullptr);

}  // namespace cnnplan::test
