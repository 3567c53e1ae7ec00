// Tests the lists of engines that a trial goes through, on an H100 that is only described.
//
// cuDNN hides engines that it compiles at run time where it finds no libcuda. So the tests run
// again with the toolkit's stub of it. They make no plan, because a stub cannot load what was
// compiled.
#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/convolution_graph.hpp"
#include "executor/backend/cudnn/engine.hpp"
#include "executor/backend/cudnn/library.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/schedule/stored_samples.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"

namespace cnnplan::test {
namespace {

std::vector<cudnn::RecommendedEngine> engines_of(const KernelSpec& spec,
                                                 const cudnn::ConvolutionVariant& variant,
                                                 bool begins_inside = false) {
  const cudnn::EngineTarget target(h100);
  const cudnn::ConvolutionGraph graph = cudnn::make_convolution_graph(
      target, cudnn::engine_view(spec, variant), variant, begins_inside);
  return cudnn::recommended_engines(target, graph.graph, {.precision = spec.precision});
}

std::vector<cudnn::RecommendedEngine> engines_of(const KernelSpec& spec,
                                                 bool begins_inside = false) {
  return engines_of(spec, cudnn::variants_of(spec).front(), begins_inside);
}

// Makes a convolution of square images in bf16.
KernelSpec square_spec(KernelPhase phase,
                       std::int64_t size,
                       std::int64_t channels,
                       const WindowDim& window) {
  KernelSpec spec{.phase = phase, .in = {{64, channels, 1, size, size}}};
  spec.window.dims[1] = spec.window.dims[2] = window;
  const std::int64_t out = output_length(size, window);
  spec.out = {{64, 64, 1, out, out}};
  spec.precision = Precision::bf16;
  return spec;
}

// Returns the number of engines that cuDNN holds for fast ones.
std::ptrdiff_t fast_engines(const std::vector<cudnn::RecommendedEngine>& engines) {
  return std::count_if(engines.begin(), engines.end(), [](const cudnn::RecommendedEngine& one) {
    return !one.is_fallback && !one.is_runtime_compiled;
  });
}

std::set<KernelSpec> resnet50_convolutions(Precision precision = Precision::bf16) {
  const Network network = read_network("configs/networks/resnet50.json");
  Plan plan = uniform_plan(network, 256, Mesh());
  plan.precision = precision;
  std::set<KernelSpec> kernels;
  const Schedule schedule = lower(plan, 0, {.detail = Detail::priced});
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
    CHECK_FALSE(kernel->constants.begins_inside);
    kernels.insert(stored_spec(schedule, *kernel, DeviceKind::gpu));
  }
  return kernels;
}

// Calls f(spec, engines) for every forward convolution of ResNet-50 before a batch norm, with the
// engines that also sum its outputs.
template <typename F>
void for_each_with_statistics(Precision precision, F f) {
  for (const KernelSpec& spec : resnet50_convolutions(precision)) {
    if (cudnn::can_sum_outputs(spec)) f(spec, engines_of(spec, {.statistics = true}));
  }
}

}  // namespace

TEST_CASE("Engine lists: all engines that cuDNN recommends are there") {
  const KernelSpec spec = square_spec(KernelPhase::backward_filter, 56, 64, {3, 1, 1, 1, 1});
  CHECK(engines_of(spec).size() > 32);
}

TEST_CASE("Engine lists: images of any size have fast engines, except inside of a buffer") {
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_filter}) {
    CAPTURE(to_text(phase));
    for (const KernelSpec& spec : {square_spec(phase, 227, 3, {11, 4, 0, 0, 1}),
                                   square_spec(phase, 299, 3, {3, 2, 0, 0, 1})}) {
      CAPTURE(to_text(spec));
      CHECK(fast_engines(engines_of(spec)) > 8);
      CHECK(fast_engines(engines_of(spec, true)) < 8);
    }
  }
}

TEST_CASE("Engine lists: trials of ResNet-50 reach all fast engines before any that is compiled") {
  const auto trials = static_cast<std::size_t>(cudnn::Options{}.engine_trials);
  for (const KernelSpec& spec : resnet50_convolutions()) {
    CAPTURE(to_text(spec));
    const std::vector<cudnn::RecommendedEngine> all = engines_of(spec);
    std::set<std::int64_t> fast;
    for (const cudnn::RecommendedEngine& one : all) {
      if (!one.is_fallback && !one.is_runtime_compiled) fast.insert(one.engine.index);
    }
    std::vector<cudnn::RecommendedEngine> tried = cudnn::trial_order(all);
    // The library lists fewer engines for samples of 3 channels, which are stored as 8.
    if (spec.in[Dim::c] > 8) REQUIRE(tried.size() >= trials);
    tried.resize(std::min(tried.size(), trials));
    for (const cudnn::RecommendedEngine& one : tried) {
      CHECK((!one.is_runtime_compiled || fast.empty()));
      fast.erase(one.engine.index);
    }
    CHECK(fast.empty());
  }
}

// docs/decisions/0006-gpu-backend.md says what follows from this test.
TEST_CASE("Engine lists: ready engines sum the outputs of ResNet-50's convolutions in fp16 alone") {
  int convolutions = 0;
  for_each_with_statistics(Precision::bf16, [&](const KernelSpec& spec, const auto& engines) {
    CAPTURE(to_text(spec));
    ++convolutions;
    CHECK(fast_engines(engines) == 0);
  });
  CHECK(convolutions == 23);
  for_each_with_statistics(Precision::fp16, [](const KernelSpec& spec, const auto& engines) {
    CAPTURE(to_text(spec));
    const bool is_first = spec.in[Dim::c] == 8;  // 3 channels are stored as 8
    CHECK((fast_engines(engines) > 0) == !is_first);
  });
}

TEST_CASE("Engine lists with a driver: in bf16, one engine that is compiled sums the outputs") {
  for_each_with_statistics(Precision::bf16, [](const KernelSpec& spec, const auto& engines) {
    CAPTURE(to_text(spec));
    CHECK(cudnn::are_runtime_compiled(engines));
    std::set<std::int64_t> indices;
    for (const cudnn::RecommendedEngine& one : engines) indices.insert(one.engine.index);
    CHECK(indices.size() == 1);
  });
}

TEST_CASE("Engine lists with a driver: a ReLU without bias is fused by compiled engines alone") {
  KernelSpec spec = square_spec(KernelPhase::forward, 56, 64, {3, 1, 1, 1, 1});
  spec.relu = true;
  for (const bool bias : {false, true}) {
    spec.bias = bias;
    for (const cudnn::ConvolutionVariant& variant : cudnn::variants_of(spec)) {
      CAPTURE(to_text(spec) + cudnn::to_text(variant));
      const bool is_compiled = variant.fused && !bias;
      const std::vector<cudnn::RecommendedEngine> order =
          cudnn::trial_order(engines_of(spec, variant));
      CHECK(cudnn::are_runtime_compiled(order) == is_compiled);
      CHECK((fast_engines(order) == 0) == is_compiled);
      if (is_compiled) CHECK(order.size() == cudnn::most_compiled_trials);
    }
  }
}

}  // namespace cnnplan::test
