// Tests emulated cuDNN graphs: refusals, promises of engines, fusion and 16 bits.
#include "executor/backend/half.hpp"
#include "tests/emulation/cudnn/cudnn_builder.hpp"
#include "tests/emulation/fixture.hpp"

namespace cnnplan::test {
namespace {

constexpr cudnnStatus_t ok = CUDNN_STATUS_SUCCESS;

cudnnHandle_t new_handle(cudaStream_t stream = nullptr) {
  cudnnHandle_t handle = nullptr;
  REQUIRE(cudnnCreate(&handle) == ok);
  REQUIRE(cudnnSetStream(handle, stream) == ok);
  return handle;
}

TensorSpec spec_of(std::int64_t uid, const Extents& dims, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
  return {.uid = uid, .dims = dims, .strides = channels_last(dims), .type = type};
}

// Makes x (1, 2, 3, 3), a 1x1 window and y (1, 2, 3, 3).
ConvolutionOperation one_by_one(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
  return {.convolution = {.pre = {0, 0}, .post = {0, 0}, .stride = {1, 1}, .dilation = {1, 1}},
          .x = spec_of(1, {1, 2, 3, 3}, type),
          .w = spec_of(2, {2, 2, 1, 1}, type),
          .y = spec_of(3, {1, 2, 3, 3}, type)};
}

ConvolutionOperation asymmetric() {
  ConvolutionOperation made = one_by_one();
  made.convolution.pre = {1, 0};
  made.convolution.post = {0, 0};
  made.y = spec_of(3, {1, 2, 4, 3});
  return made;
}

// Makes convolution -> + bias -> ReLU, from `type` to FLOAT.
BackendDescriptor fused(cudnnHandle_t handle, cudnnDataType_t type) {
  ConvolutionOperation first = one_by_one(type);
  first.y = spec_of(10, {1, 2, 3, 3});
  first.y.is_virtual = true;
  TensorSpec sum = spec_of(11, {1, 2, 3, 3});
  sum.is_virtual = true;
  const TensorSpec bias = spec_of(4, {1, 2, 1, 1});
  return graph(handle,
               {operation(first),
                pointwise(CUDNN_POINTWISE_ADD, {first.y, bias}, sum),
                pointwise(CUDNN_POINTWISE_RELU_FWD, {sum}, spec_of(3, {1, 2, 3, 3}))});
}

}  // namespace

TEST_CASE("emulated cuDNN: attributes have types, counts, and a time to be set") {
  emulation::reset();
  BackendDescriptor made = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  CHECK(set(made, CUDNN_ATTR_CONVOLUTION_DILATIONS, Extents{1}) == CUDNN_STATUS_BAD_PARAM);
  CHECK(last_error().find("no attribute") != std::string::npos);
  CHECK(set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_DOUBLE, std::vector{1.0}) ==
        CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE);
  CHECK(set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, Extents{1, 2}) == CUDNN_STATUS_BAD_PARAM);
  CHECK(cudnnBackendFinalize(made) == CUDNN_STATUS_BAD_PARAM);
  CHECK(last_error().find("missing") != std::string::npos);
  BackendDescriptor done = tensor(spec_of(1, {1, 2, 3, 3}));
  CHECK(set(done, CUDNN_ATTR_TENSOR_UNIQUE_ID, Extents{2}) == CUDNN_STATUS_BAD_PARAM);
  BackendDescriptor operation_of = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  CHECK(set(operation_of, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, {made}) ==
        CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  CHECK(cudnnBackendDestroyDescriptor(made) == ok);
  CHECK(cudnnBackendDestroyDescriptor(made) == CUDNN_STATUS_BAD_PARAM);
}

TEST_CASE("emulated cuDNN: heuristics name engines of which some do not work") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  BackendDescriptor of = graph(handle, {operation(one_by_one())});
  const auto results = heuristics(of, CUDNN_HEUR_MODE_A);
  CHECK(results.size() == 5);
  int working = 0;
  std::int64_t largest = 0;
  for (BackendDescriptor config : results) {
    BackendDescriptor made = plan(handle, config);
    const cudnnStatus_t status = cudnnBackendFinalize(made);
    CHECK(status == (engine_of(config) == 3 ? CUDNN_STATUS_NOT_SUPPORTED : ok));
    if (status != ok) continue;
    ++working;
    largest = std::max(largest, workspace_bytes(made));
  }
  CHECK(working == 4);
  CHECK(largest > 0);
  CHECK(heuristics(of, CUDNN_HEUR_MODE_FALLBACK).size() == 1);
}

TEST_CASE("emulated cuDNN: knobs have ranges and change the workspace") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  BackendDescriptor of = graph(handle, {operation(one_by_one())});
  const auto with = [&](std::int64_t tile) {
    return plan(handle, engine_config(of, 1, {{CUDNN_KNOB_TYPE_TILE_SIZE, tile}}));
  };
  CHECK(workspace_bytes(finished(with(0))) < workspace_bytes(finished(with(4))));
  CHECK(cudnnBackendFinalize(with(3)) == CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
  CHECK(cudnnBackendFinalize(with(8)) == CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
}

TEST_CASE("emulated cuDNN: a workspace is scribbled over, as far as it goes") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  BackendDescriptor of = graph(handle, {operation(one_by_one())});
  BackendDescriptor made = finished(plan(handle, engine_config(of, 1)));
  const auto bytes = static_cast<std::size_t>(workspace_bytes(made));
  char* workspace = device_copy(std::vector<char>(bytes + 1, '0'));
  float* x = device_copy(std::vector<float>(18, 1.0F));
  float* w = device_copy(std::vector<float>(4, 1.0F));
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, device_array(18)}}, workspace) == ok);
  const std::vector<char> after = host_copy(workspace, bytes + 1);
  CHECK(after[0] != '0');
  CHECK(after[bytes - 1] != '0');
  CHECK(after[bytes] == '0');
}

TEST_CASE("emulated cuDNN: asymmetric padding is for one engine, or none") {
  for (const bool possible : {true, false}) {
    emulation::reset({.cudnn_asymmetric_padding = possible});
    cudnnHandle_t handle = new_handle();
    BackendDescriptor of = graph(handle, {operation(asymmetric())});
    int working = 0;
    for (BackendDescriptor config : heuristics(of, CUDNN_HEUR_MODE_A)) {
      if (cudnnBackendFinalize(plan(handle, config)) == ok) ++working;
    }
    CHECK(working == (possible ? 1 : 0));
  }
}

TEST_CASE("emulated cuDNN: shapes have to fit") {
  emulation::reset();
  ConvolutionOperation wrong = one_by_one();
  wrong.y.dims = {1, 2, 3, 4};
  BackendDescriptor made = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  CHECK(set(made,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
            {convolution(wrong.convolution)}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, {tensor(wrong.x)}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, {tensor(wrong.w)}) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, {tensor(wrong.y)}) == ok);
  const std::vector<float> one{1.0F};
  CHECK(set(made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, one) == ok);
  CHECK(set(made, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, one) == ok);
  CHECK(cudnnBackendFinalize(made) == CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH);
}

TEST_CASE("emulated cuDNN: pointers are of device memory, large enough and apart") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  BackendDescriptor of = graph(handle, {operation(one_by_one())});
  BackendDescriptor made = finished(plan(handle, engine_config(of, 0)));
  float* x = device_copy(std::vector<float>(18, 1.0F));
  float* w = device_copy(std::vector<float>(4, 1.0F));
  float* y = device_array(18);
  std::vector<float> host(18);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, y}}) == ok);
  CHECK(host_copy(y, 18) == std::vector<float>(18, 2.0F));
  CHECK(execute(handle, made, {{1, x}, {2, w}}) == CUDNN_STATUS_BAD_PARAM);
  CHECK(execute(handle, made, {{1, host.data()}, {2, w}, {3, y}}) != ok);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, x}}) == CUDNN_STATUS_BAD_PARAM);
  CHECK(execute(handle, made, {{1, w}, {2, x}, {3, y}}) == CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
  CHECK(execute(handle, made, {{1, x}, {2, w + 1}, {3, y}}) ==
        CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER);
  BackendDescriptor needy = finished(plan(handle, engine_config(of, 1)));
  CHECK(execute(handle, needy, {{1, x}, {2, w}, {3, y}}) == CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND);
}

TEST_CASE("emulated cuDNN: alpha and beta, on the stream and in a capture") {
  emulation::reset();
  cudaStream_t stream = new_stream();
  cudnnHandle_t handle = new_handle(stream);
  ConvolutionOperation scaled = one_by_one();
  scaled.alpha = 2.0;
  scaled.beta = 0.5;
  BackendDescriptor of = graph(handle, {operation(scaled)});
  BackendDescriptor made = finished(plan(handle, engine_config(of, 0)));
  float* x = device_copy(std::vector<float>(18, 1.0F));
  float* w = device_copy(std::vector<float>(4, 1.0F));
  float* y = device_copy(std::vector<float>(18, 4.0F));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, y}}) == ok);
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamEndCapture(stream, &captured) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&exec, captured, 0) == cudaSuccess);
  for (const float expected : {6.0F, 7.0F}) {
    CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(host_copy(y, 18)[17] == expected);
  }
  CHECK(emulation::counters().kernels == 2);
}

TEST_CASE("emulated cuDNN: bias and ReLU are fused, in 16 bits too, unless refused") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  BackendDescriptor made = finished(plan(handle, engine_config(fused(handle, CUDNN_DATA_HALF), 0)));
  auto* x = device_copy(std::vector<Float16>(18, Float16(0.5F)));
  auto* w = device_copy(std::vector<Float16>(4, Float16(-3.0F)));
  float* bias = device_copy<float>({1.0F, 7.0F});
  float* y = device_array(18);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {4, bias}, {3, y}}) == ok);
  const std::vector<float> result = host_copy(y, 18);
  for (std::size_t i = 0; i < result.size(); ++i) {
    CHECK(result[i] == (i % 2 == 0 ? 0.0F : 4.0F));  // -3 + 1 and -3 + 7
  }
  emulation::reset({.cudnn_fused_graphs = false});
  handle = new_handle();
  CHECK(heuristics(fused(handle, CUDNN_DATA_FLOAT), CUDNN_HEUR_MODE_A).empty());
}

TEST_CASE("emulated cuDNN: statistics are sums of the stored outputs, after a convolution alone") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  const ConvolutionOperation first = one_by_one(CUDNN_DATA_BFLOAT16);
  const TensorSpec sums = spec_of(4, {1, 2, 1, 1});
  const TensorSpec squares = spec_of(5, {1, 2, 1, 1});
  BackendDescriptor of = graph(handle, {operation(first), statistics(first.y, sums, squares)});
  BackendDescriptor made = finished(plan(handle, engine_config(of, 0)));
  // The outputs are 257 and 1 at every position. The first is rounded to 256 when it is stored.
  auto* x = device_copy(std::vector<BFloat16>(18, BFloat16(1.0F)));
  auto* w =
      device_copy<BFloat16>({BFloat16(256.0F), BFloat16(1.0F), BFloat16(2.0F), BFloat16(-1.0F)});
  auto* y = device_copy(std::vector<BFloat16>(18));
  float* sum = device_array(2);
  float* square = device_array(2);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, y}, {4, sum}, {5, square}}) == ok);
  CHECK(host_copy(sum, 2) == std::vector<float>{9 * 256.0F, 9.0F});
  CHECK(host_copy(square, 2) == std::vector<float>{9 * 65536.0F, 9.0F});
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, y}, {4, sum}, {5, sum}}) ==
        CUDNN_STATUS_BAD_PARAM);
  CHECK(execute(handle, made, {{1, x}, {2, w}, {3, x}, {4, sum}, {5, square}}) ==
        CUDNN_STATUS_BAD_PARAM);
  BackendDescriptor alone = graph(handle, {statistics(first.y, sums, squares)});
  CHECK(heuristics(alone, CUDNN_HEUR_MODE_A).empty());
}

TEST_CASE("emulated cuDNN: errors can be injected, handles and descriptors are counted") {
  emulation::reset();
  cudnnHandle_t handle = new_handle();
  tensor(spec_of(1, {1, 2, 3, 3}));
  CHECK(emulation::leaks() == std::vector<std::string>{"1 cuDNN descriptors", "1 cuDNN handles"});
  emulation::fail("cudnnDestroy", 1, CUDNN_STATUS_INTERNAL_ERROR);
  CHECK(cudnnDestroy(handle) == CUDNN_STATUS_INTERNAL_ERROR);
  CHECK(cudnnDestroy(handle) == ok);
  CHECK(cudnnDestroy(handle) == CUDNN_STATUS_BAD_PARAM);
  emulation::reset({.device_count = 0});
  CHECK(cudnnCreate(&handle) == CUDNN_STATUS_NOT_INITIALIZED);
}

}  // namespace cnnplan::test
