// Compares emulated convolutions with the reference backend in double, over random shapes and
// windows.
#include <cmath>

#include "planner/tensor/window.hpp"
#include "tests/emulation/cudnn/cudnn_builder.hpp"
#include "tests/emulation/fixture.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

KernelSpec random_spec(Random& random, bool flat_depth, bool asymmetric) {
  for (;;) {
    KernelSpec spec;
    spec.groups = random.integer(1, 2);
    spec.in[Dim::n] = random.integer(1, 3);
    spec.in[Dim::c] = spec.groups * random.integer(1, 3);
    spec.out[Dim::n] = spec.in[Dim::n];
    spec.out[Dim::c] = spec.groups * random.integer(1, 3);
    bool fits = true;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i == 0 && flat_depth) continue;
      const auto before = random.integer(0, 2);
      const auto after = asymmetric ? random.integer(0, 2) : before;
      spec.window.dims[i] = {random.integer(1, 3), random.integer(1, 2), before, after, 1};
      spec.window.dims[i].dilation = random.integer(1, 2);
      spec.in[spatial_dims[i]] = random.integer(1, 6);
      spec.out[spatial_dims[i]] = output_length(spec.in[spatial_dims[i]], spec.window.dims[i]);
      fits = fits && spec.out[spatial_dims[i]] > 0;
    }
    if (fits) return spec;
  }
}

Extents dims_of(const Shape& shape, bool flat_depth) {
  Extents dims(shape.extents.begin(), shape.extents.end());
  if (flat_depth) dims.erase(dims.begin() + 2);
  return dims;
}

struct Problem {
  KernelSpec spec;
  ConvolutionOperation operation;
  Values x, w, y;  // y is the gradient for backward phases
};

Problem problem_of(const KernelSpec& spec, bool flat_depth, cudnnDataType_t type, Random& random) {
  Problem made{.spec = spec};
  ConvolutionSpec& convolution = made.operation.convolution;
  Shape weight;
  weight[Dim::n] = spec.out[Dim::c];
  weight[Dim::c] = spec.in[Dim::c] / spec.groups;
  for (std::size_t i = 0; i < 3; ++i) {
    const WindowDim& dim = spec.window.dims[i];
    weight[spatial_dims[i]] = dim.kernel;
    if (i == 0 && flat_depth) continue;
    convolution.pre.push_back(dim.padding_begin);
    convolution.post.push_back(dim.padding_end);
    convolution.stride.push_back(dim.stride);
    convolution.dilation.push_back(dim.dilation);
  }
  convolution.compute = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const Extents x = dims_of(spec.in, flat_depth);
  const Extents w = dims_of(weight, flat_depth);
  const Extents y = dims_of(spec.out, flat_depth);
  made.operation.x = {.uid = 1, .dims = x, .strides = channels_last(x), .type = type};
  made.operation.w = {.uid = 2, .dims = w, .strides = dense(w), .type = type};
  made.operation.y = {.uid = 3, .dims = y, .strides = channels_last(y), .type = type};
  made.x = random.floats(volume(spec.in));
  made.w = random.floats(volume(weight));
  made.y = random.floats(volume(spec.out));
  return made;
}

template <typename T>
T* on_device(const Values& values) {
  return device_copy(std::vector<T>(values.begin(), values.end()));
}

// Runs one engine. Returns the result in the order of memory.
template <typename T>
Values run_emulated(const Problem& problem, std::int64_t engine) {
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = new_stream();
  REQUIRE(cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetStream(handle, stream) == CUDNN_STATUS_SUCCESS);
  T* x = on_device<T>(problem.x);
  T* w = on_device<T>(problem.w);
  T* y = on_device<T>(problem.y);
  BackendDescriptor of = graph(handle, {operation(problem.operation)});
  BackendDescriptor made = finished(plan(handle, engine_config(of, engine)));
  const std::int64_t bytes = workspace_bytes(made);
  void* workspace = nullptr;
  if (bytes > 0) workspace = device_array<char>(static_cast<std::size_t>(bytes));
  REQUIRE(execute(handle, made, {{1, x}, {2, w}, {3, y}}, workspace) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  const Direction direction = problem.operation.direction;
  const T* data = direction == Direction::backward_data ? x : y;
  std::size_t count = direction == Direction::backward_data ? problem.x.size() : problem.y.size();
  if (direction == Direction::backward_filter) {
    data = w;
    count = problem.w.size();
  }
  const std::vector<T> result = host_copy(data, count);
  return {result.begin(), result.end()};
}

Values run_oracle(Problem problem) {
  const auto elements = static_cast<std::int64_t>(problem.w.size());
  Block x = Block::dense(Element::fp64, problem.spec.in).fill(problem.x);
  Block w = flat(Element::fp64, elements).fill(problem.w);
  Block y = Block::dense(Element::fp64, problem.spec.out).fill(problem.y);
  switch (problem.operation.direction) {
    case Direction::forward:
      problem.spec.phase = KernelPhase::forward;
      run(oracle(), problem.spec, {}, {}, {&x, &w, &y});
      return y.values();
    case Direction::backward_data:
      problem.spec.phase = KernelPhase::backward_data;
      run(oracle(), problem.spec, {}, {}, {&y, &w, &x});
      return x.values();
    default:
      problem.spec.phase = KernelPhase::backward_filter;
      run(oracle(), problem.spec, {}, {}, {&x, &y, &w});
      return w.values();
  }
}

constexpr Direction directions[] = {
    Direction::forward, Direction::backward_data, Direction::backward_filter};

}  // namespace

TEST_CASE("emulated convolution: the exact engine is the reference") {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    emulation::reset();
    const bool flat_depth = random.coin();
    const KernelSpec spec = random_spec(random, flat_depth, random.coin());
    INFO(to_text(spec));
    for (const Direction direction : directions) {
      Problem single = problem_of(spec, flat_depth, CUDNN_DATA_FLOAT, random);
      single.operation.direction = direction;
      CHECK(difference(run_emulated<float>(single, 0), run_oracle(single)) < 2e-6);
      Problem twice = problem_of(spec, flat_depth, CUDNN_DATA_DOUBLE, random);
      twice.operation.direction = direction;
      CHECK(difference(run_emulated<double>(twice, 0), run_oracle(twice)) < 1e-13);
    }
  }
}

TEST_CASE(
    "emulated convolution: tensor cores round, and another engine never does the same twice") {
  Random random(2);
  emulation::reset();
  const KernelSpec spec = random_spec(random, true, false);
  for (const Direction direction : directions) {
    Problem problem = problem_of(spec, true, CUDNN_DATA_FLOAT, random);
    problem.operation.direction = direction;
    const Values expected = run_oracle(problem);
    const double error = difference(run_emulated<float>(problem, 1), expected);
    CHECK(error > 1e-6);
    CHECK(error < 1e-2);
    CHECK(run_emulated<float>(problem, 1) == run_emulated<float>(problem, 1));
    CHECK(difference(run_emulated<float>(problem, 2), expected) < 1e-6);
    CHECK(run_emulated<float>(problem, 2) != run_emulated<float>(problem, 2));
  }
}

}  // namespace cnnplan::test
