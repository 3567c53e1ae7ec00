// Tests the names of engines in plans: each gives its engine again, or is refused.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"
#include "tests/executor/backend/cudnn/found_engines.hpp"

namespace cnnplan::test {
namespace {

KernelSpec convolution(KernelPhase phase, Precision precision) {
  KernelSpec spec{.phase = phase, .in = {{8, 32, 1, 29, 28}}, .out = {{8, 64, 1, 28, 28}}};
  spec.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 0};
  spec.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  spec.bias = phase == KernelPhase::forward;
  spec.precision = precision;
  return spec;
}

}  // namespace

TEST_CASE("Engine: a name gives the same plan again") {
  const cudnn::EngineTarget target(h100);
  for (KernelPhase phase :
       {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
    for (Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16}) {
      const KernelSpec spec = convolution(phase, precision);
      INFO(to_text(spec));
      const std::vector<FoundEngine> all = find_engines(target, spec, false);
      REQUIRE_FALSE(all.empty());
      for (const FoundEngine& found : all) {
        const std::string name = to_text(found.engine) + to_text(found.variant);
        std::string_view rest = name;
        CHECK(cudnn::parse_variant(rest) == found.variant);
        const cudnn::Engine engine = cudnn::parse_engine(rest);
        CHECK(engine == found.engine);
        CHECK(planned_workspace_bytes(target, spec, found.variant, engine) ==
              found.workspace_bytes);
      }
    }
  }
}

TEST_CASE("Engine: what is no name is refused") {
  for (const char* text : {"",
                           "engine",
                           "engine x",
                           "engine -1",
                           "motor 3",
                           "engine 3 k2",
                           "engine 3 k2=",
                           "engine 3 k=1",
                           "engine 3 2=1",
                           "engine 3 k2=1x",
                           "engine 3 fast",
                           "engine 3 k-2=1",
                           "engine 99999999999999999999",
                           "3"}) {
    CAPTURE(std::string(text));
    CHECK_THROWS_AS(cudnn::parse_engine(text), BackendError);
  }
}

TEST_CASE("Engine: an engine, knob or value that the library has not is an error") {
  const cudnn::EngineTarget target(h100);
  const KernelSpec spec = convolution(KernelPhase::forward, Precision::fp16);
  const cudnn::ConvolutionGraph graph =
      cudnn::make_convolution_graph(target, cudnn::engine_view(spec, {}), {});
  const std::vector<cudnn::RecommendedEngine> engines =
      cudnn::recommended_engines(target, graph.graph, {.precision = Precision::fp16});
  const auto with_knobs = std::find_if(
      engines.begin(), engines.end(), [](const auto& one) { return !one.engine.knobs.empty(); });
  REQUIRE(with_knobs != engines.end());
  const auto plan = [&](const cudnn::Engine& engine) {
    return cudnn::make_execution_plan(target, graph.graph, engine);
  };
  CHECK_NOTHROW(plan(with_knobs->engine));
  cudnn::Engine unknown = with_knobs->engine;
  unknown.index = 100000;
  CHECK_THROWS_AS(plan(unknown), BackendError);
  cudnn::Engine wrong_knob = with_knobs->engine;
  wrong_knob.knobs.front().first = 1000;
  CHECK_THROWS_AS(plan(wrong_knob), BackendError);
  cudnn::Engine wrong_value = with_knobs->engine;
  wrong_value.knobs.front().second = 1000000;
  CHECK_THROWS_AS(plan(wrong_value), BackendError);
}

}  // namespace cnnplan::test
