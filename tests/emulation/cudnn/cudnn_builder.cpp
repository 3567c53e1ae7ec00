// Builds cuDNN descriptors from plain values.
#include "tests/emulation/cudnn/cudnn_builder.hpp"

namespace cnnplan::test {
namespace {

constexpr cudnnStatus_t ok = CUDNN_STATUS_SUCCESS;

struct Names {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t alpha, beta, convolution, x, w, y;
};

Names names_of(Direction direction) {
  if (direction == Direction::forward) {
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y};
  }
  if (direction == Direction::backward_data) {
    return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY};
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY};
}

}  // namespace

BackendDescriptor tensor(const TensorSpec& spec) {
  BackendDescriptor made = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const bool is_virtual = spec.is_virtual;
  CHECK(set(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{spec.type}) == ok);
  CHECK(set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, spec.dims) == ok);
  CHECK(set(made, CUDNN_ATTR_TENSOR_STRIDES, spec.strides) == ok);
  CHECK(set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, Extents{spec.uid}) == ok);
  CHECK(set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, Extents{16}) == ok);
  CHECK(cudnnBackendSetAttribute(
            made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual) == ok);
  return finished(made);
}

Extents channels_last(const Extents& dims) {
  Extents strides(dims.size());
  std::int64_t stride = dims[1];
  for (std::size_t i = dims.size(); i-- > 2;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  strides[1] = 1;
  strides[0] = stride;
  return strides;
}

Extents dense(const Extents& dims) {
  Extents strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

BackendDescriptor convolution(const ConvolutionSpec& spec) {
  BackendDescriptor made = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const auto dims = static_cast<std::int64_t>(spec.stride.size());
  const std::vector mode{CUDNN_CROSS_CORRELATION};
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, Extents{dims}) == ok);
  CHECK(set(made,
            CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
            CUDNN_TYPE_DATA_TYPE,
            std::vector{spec.compute}) == ok);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, mode) == ok);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, spec.pre) == ok);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, spec.post) == ok);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, spec.stride) == ok);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_DILATIONS, spec.dilation) == ok);
  return finished(made);
}

BackendDescriptor operation(const ConvolutionOperation& spec) {
  const Names names = names_of(spec.direction);
  BackendDescriptor made = make(names.type);
  CHECK(set(made, names.convolution, {convolution(spec.convolution)}) == ok);
  CHECK(set(made, names.x, {tensor(spec.x)}) == ok);
  CHECK(set(made, names.w, {tensor(spec.w)}) == ok);
  CHECK(set(made, names.y, {tensor(spec.y)}) == ok);
  CHECK(set(made, names.alpha, CUDNN_TYPE_DOUBLE, std::vector{spec.alpha}) == ok);
  const std::vector beta{static_cast<float>(spec.beta)};
  CHECK(set(made, names.beta, CUDNN_TYPE_FLOAT, beta) == ok);
  return finished(made);
}

BackendDescriptor pointwise(cudnnPointwiseMode_t mode,
                            const std::vector<TensorSpec>& inputs,
                            const TensorSpec& output) {
  BackendDescriptor what = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  const std::vector precision{CUDNN_DATA_FLOAT};
  CHECK(set(what, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, std::vector{mode}) == ok);
  CHECK(set(what, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, precision) == ok);
  finished(what);
  BackendDescriptor made = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, {what}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, {tensor(inputs[0])}) == ok);
  if (inputs.size() > 1) {
    CHECK(set(made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, {tensor(inputs[1])}) == ok);
  }
  CHECK(set(made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, {tensor(output)}) == ok);
  return finished(made);
}

BackendDescriptor statistics(const TensorSpec& x,
                             const TensorSpec& sums,
                             const TensorSpec& squares) {
  BackendDescriptor made = make(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR);
  const std::vector mode{CUDNN_GENSTATS_SUM_SQSUM};
  const std::vector precision{CUDNN_DATA_FLOAT};
  CHECK(set(made, CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE, mode) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE, precision) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_GENSTATS_XDESC, {tensor(x)}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, {tensor(sums)}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, {tensor(squares)}) == ok);
  return finished(made);
}

BackendDescriptor graph(cudnnHandle_t handle, const std::vector<BackendDescriptor>& operations) {
  BackendDescriptor made = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATIONGRAPH_OPS, operations) == ok);
  return finished(made);
}

std::vector<BackendDescriptor> heuristics(BackendDescriptor of, cudnnBackendHeurMode_t mode) {
  BackendDescriptor made = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, {of}) == ok);
  CHECK(set(made, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{mode}) == ok);
  if (cudnnBackendFinalize(made) != ok) return {};
  constexpr auto results = CUDNN_ATTR_ENGINEHEUR_RESULTS;
  constexpr auto type = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  std::int64_t count = 0;
  REQUIRE(cudnnBackendGetAttribute(made, results, type, 0, &count, nullptr) == ok);
  std::vector<BackendDescriptor> found;
  for (std::int64_t i = 0; i < count; ++i)
    found.push_back(make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  REQUIRE(cudnnBackendGetAttribute(made, results, type, count, &count, found.data()) == ok);
  return found;
}

BackendDescriptor engine_config(BackendDescriptor of,
                                std::int64_t index,
                                const std::map<cudnnBackendKnobType_t, std::int64_t>& knobs) {
  BackendDescriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  CHECK(set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, {of}) == ok);
  CHECK(set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, Extents{index}) == ok);
  finished(engine);
  std::vector<BackendDescriptor> choices;
  for (const auto& [type, value] : knobs) {
    choices.push_back(make(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
    const std::vector types{type};
    CHECK(set(choices.back(), CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, types) == ok);
    CHECK(set(choices.back(), CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, Extents{value}) == ok);
    finished(choices.back());
  }
  BackendDescriptor made = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_ENGINECFG_ENGINE, {engine}) == ok);
  if (!choices.empty()) CHECK(set(made, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, choices) == ok);
  return finished(made);
}

BackendDescriptor plan(cudnnHandle_t handle, BackendDescriptor config) {
  BackendDescriptor made = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle}) == ok);
  CHECK(set(made, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, {config}) == ok);
  return made;
}

std::int64_t workspace_bytes(BackendDescriptor of) {
  std::int64_t count = 0;
  std::int64_t bytes = -1;
  REQUIRE(cudnnBackendGetAttribute(
              of, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes) ==
          ok);
  return bytes;
}

std::int64_t engine_of(BackendDescriptor config) {
  BackendDescriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  std::int64_t count = 0;
  std::int64_t index = -1;
  REQUIRE(
      cudnnBackendGetAttribute(
          config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine) ==
      ok);
  REQUIRE(cudnnBackendGetAttribute(
              engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &index) == ok);
  return index;
}

cudnnStatus_t execute(cudnnHandle_t handle,
                      BackendDescriptor what,
                      const std::map<std::int64_t, void*>& pointers,
                      void* workspace) {
  BackendDescriptor pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  Extents uids;
  std::vector<void*> data;
  for (const auto& [uid, pointer] : pointers) {
    uids.push_back(uid);
    data.push_back(pointer);
  }
  CHECK(set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids) == ok);
  CHECK(set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, data) == ok);
  const std::vector workspaces{workspace};
  CHECK(set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspaces) == ok);
  return cudnnBackendExecute(handle, what, finished(pack));
}

}  // namespace cnnplan::test
