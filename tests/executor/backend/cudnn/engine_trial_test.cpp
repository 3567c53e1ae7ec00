// Tests which engines are chosen, and which names are accepted, on the emulated device.
#include "executor/backend/cudnn/engine_trial.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/backend.hpp"
#include "planner/base/error.hpp"
#include "tests/emulation/cudnn/cudnn_engines.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {
namespace {

constexpr std::array all_phases{
    KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter};

// Makes a 3x3 convolution over 6 x 7. Other numbers of channels are other kernels.
KernelSpec spec_of(KernelPhase phase, Precision precision, std::int64_t channels) {
  KernelSpec spec;
  spec.phase = phase;
  spec.precision = precision;
  spec.in = {{2, channels, 1, 6, 7}};
  spec.out = {{2, 3, 1, 6, 7}};
  spec.window.dims[1] = spec.window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  spec.bias = phase != KernelPhase::backward_data;
  return spec;
}

// Has padding before and not after, where the output allows no other.
KernelSpec one_sided_spec(KernelPhase phase) {
  KernelSpec spec = spec_of(phase, Precision::fp32, 4);
  spec.window.dims[1].padding_end = 0;
  spec.out[Dim::h] = 5;
  return spec;
}

bool is_engine(const Kernel& kernel, emulation::EngineIndex engine) {
  return kernel.implementation().starts_with("engine " + std::to_string(engine));
}

std::vector<std::unique_ptr<Kernel>> many_kernels(Backend& backend, Precision precision) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (KernelPhase phase : all_phases) {
    for (std::int64_t channels = 1; channels <= 12; ++channels) {
      kernels.push_back(backend.make_kernel(spec_of(phase, precision, channels), {}, {}));
    }
  }
  return kernels;
}

std::string refusal(Backend& backend, const KernelSpec& spec, const std::string& name) {
  try {
    backend.make_kernel(spec, {}, name);
  } catch (const BackendError& error) {
    return error.what();
  }
  return "";
}

// Returns the engines that would be tried.
std::vector<std::int64_t> recommended(const KernelSpec& spec, bool deterministic) {
  cudnn::Library library({.deterministic = deterministic});
  const cudnn::EngineTarget target(library.handle());
  std::vector<std::int64_t> indices;
  for (const cudnn::ConvolutionVariant& variant : cudnn::variants_of(spec)) {
    const cudnn::ConvolutionGraph graph =
        cudnn::make_convolution_graph(target, cudnn::engine_view(spec, variant), variant);
    for (const cudnn::Engine& engine : cudnn::recommended_engines(
             target, graph.graph, {.precision = spec.precision, .deterministic = deterministic})) {
      indices.push_back(engine.index);
    }
  }
  return indices;
}

bool is_in(const std::vector<std::int64_t>& indices, emulation::EngineIndex engine) {
  return std::find(indices.begin(), indices.end(), engine) != indices.end();
}

// Returns how often device memory is allocated to choose how `spec` is computed.
std::int64_t allocations_of_choice(const KernelSpec& spec, std::int64_t most_workspace_bytes) {
  emulation::reset();
  const auto backend = cudnn::make_backend({.most_workspace_bytes = most_workspace_bytes});
  const std::int64_t before = emulation::counters().allocations;
  backend->make_kernel(spec, {}, {});
  return emulation::counters().allocations - before;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Engine trial: a deterministic backend takes no engine that is noted as another") {
  emulation::reset();
  for (Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const auto backend = cudnn::make_backend({.deterministic = true});
    for (const auto& kernel : many_kernels(*backend, precision)) {
      CHECK_FALSE(is_engine(*kernel, emulation::nondeterministic));
    }
  }
}

TEST_CASE("Engine trial: engines that break a rule are not even tried") {
  emulation::reset();
  for (KernelPhase phase : all_phases) {
    KernelSpec spec = spec_of(phase, Precision::fp32, 4);
    CHECK(is_in(recommended(spec, false), emulation::exact));
    CHECK(is_in(recommended(spec, false), emulation::nondeterministic));
    CHECK_FALSE(is_in(recommended(spec, true), emulation::nondeterministic));
    CHECK_FALSE(is_in(recommended(spec, false), emulation::tensor_core));
    for (Precision precision : {Precision::tf32, Precision::bf16, Precision::fp16}) {
      spec.precision = precision;
      CHECK(is_in(recommended(spec, true), emulation::tensor_core));
    }
  }
}

TEST_CASE("Engine trial: no engine's workspace is beyond the limit, whatever else a kernel needs") {
  constexpr std::int64_t operands = 3;
  constexpr std::int64_t large = 1 << 20;
  const KernelSpec spec = spec_of(KernelPhase::backward_data, Precision::tf32, 4);
  CHECK(allocations_of_choice(spec, large) > operands);
  CHECK(allocations_of_choice(spec, 0) == operands);
  emulation::reset({.cudnn_asymmetric_padding = false});
  const auto backend = cudnn::make_backend({.most_workspace_bytes = 0});
  const auto padded = backend->make_kernel(one_sided_spec(KernelPhase::forward), {}, {});
  CHECK(padded->workspace_bytes() > 0);
}

TEST_CASE("Engine trial: engines whose workspace finds no memory are passed over") {
  const KernelSpec spec = spec_of(KernelPhase::backward_data, Precision::tf32, 4);
  constexpr int operands = 3;
  for (int nth = operands + 1; nth < operands + 4; ++nth) {
    emulation::reset();
    const auto backend = cudnn::make_backend({});
    emulation::fail("cudaMalloc", nth, cudaErrorMemoryAllocation);
    CHECK_NOTHROW(backend->make_kernel(spec, {}, {}));
  }
}

TEST_CASE("Engine trial: what was chosen is remembered, and known by its name to others") {
  emulation::reset();
  const auto backend = cudnn::make_backend({});
  const KernelSpec spec = spec_of(KernelPhase::forward, Precision::bf16, 5);
  const std::string name = backend->make_kernel(spec, {}, {})->implementation();
  const auto executed = emulation::calls("cudnnBackendExecute");
  CHECK(executed > 0);
  CHECK(backend->make_kernel(spec, {}, {})->implementation() == name);
  const auto other = cudnn::make_backend({});
  CHECK(other->make_kernel(spec, {}, name)->implementation() == name);
  CHECK(emulation::calls("cudnnBackendExecute") == executed);
}

TEST_CASE("Engine trial: what a trial needed is given back") {
  emulation::reset();
  const auto backend = cudnn::make_backend({});
  const std::size_t before = emulation::counters().used_bytes;
  for (KernelPhase phase : all_phases) {
    backend->make_kernel(spec_of(phase, Precision::bf16, 6), {}, {});
  }
  CHECK(emulation::counters().peak_bytes > before);
  CHECK(emulation::counters().used_bytes == before);
}

TEST_CASE("Engine trial: replicas take an engine that always gives the same bits, untimed") {
  const KernelConstants replicated{.replicated = true};
  for (Precision precision : {Precision::fp32, Precision::bf16}) {
    for (KernelPhase phase : all_phases) {
      emulation::reset();
      const auto backend = cudnn::make_backend({});
      const KernelSpec spec = spec_of(phase, precision, 7);
      const auto chosen = backend->make_kernel(spec, replicated, {});
      CHECK_FALSE(is_engine(*chosen, emulation::nondeterministic));
      // The engine is tried, also in a graph, and not timed against others.
      CHECK(emulation::calls("cudnnBackendExecute") <= 6);
      // A profile may name another engine. A deterministic one is accepted, and any other is not.
      const auto named = [&](const KernelConstants& constants, const std::string& name) {
        return backend->make_kernel(spec, constants, name)->implementation();
      };
      const bool narrow = precision == Precision::bf16 && phase == KernelPhase::backward_filter;
      const std::string unsteady =
          "engine " + std::to_string(emulation::nondeterministic) + (narrow ? " narrow" : "");
      const std::string steady = chosen->implementation();
      CHECK(named({}, unsteady) == unsteady);
      CHECK(named(replicated, unsteady) == steady);
      CHECK(named(replicated, steady) == steady);
      CHECK(named(replicated, "engine 99") == steady);
      CHECK_THROWS_AS(named(replicated, "engine x"), BackendError);
    }
  }
}

TEST_CASE("Engine trial: of symmetric engines, one-sided padding goes by way of a buffer") {
  emulation::reset({.cudnn_asymmetric_padding = false});
  const auto backend = cudnn::make_backend({});
  for (KernelPhase phase : all_phases) {
    const auto kernel = backend->make_kernel(one_sided_spec(phase), {}, {});
    CHECK(contains(kernel->implementation(), " padded"));
    CHECK(kernel->workspace_bytes() > 0);
  }
}

TEST_CASE("Engine trial: a name that is no engine, or not of this convolution, is refused") {
  emulation::reset();
  const auto backend = cudnn::make_backend({});
  const KernelSpec forward = spec_of(KernelPhase::forward, Precision::fp32, 4);
  for (const std::string name : {"engine",
                                 "engine x",
                                 "engine -1",
                                 "engine 0 k",
                                 "engine 0 k1=",
                                 "engine 99",
                                 "engine 0 k1=3",
                                 "engine 1 k9=77",
                                 "engine 3",
                                 "engine 1 fused",
                                 "engine 0 narrow",
                                 "brgconv:avx512_core"}) {
    CAPTURE(name);
    CHECK(contains(refusal(*backend, forward, name), name));
  }
  const KernelSpec backward = spec_of(KernelPhase::backward_data, Precision::fp32, 4);
  CHECK(contains(refusal(*backend, backward, "engine 0 fused"), "engine 0 fused"));
}

TEST_CASE("Engine trial: the name of a convolution is good for its mirror image") {
  emulation::reset({.cudnn_asymmetric_padding = false});
  const auto backend = cudnn::make_backend({});
  KernelSpec spec = spec_of(KernelPhase::forward, Precision::fp32, 4);
  spec.window.dims[1] = {.kernel = 3, .stride = 2, .padding_begin = 1};
  spec.out[Dim::h] = 3;
  KernelSpec mirror = spec;
  std::swap(mirror.window.dims[1].padding_begin, mirror.window.dims[1].padding_end);
  REQUIRE(canonical(spec) == canonical(mirror));
  const std::string name = "engine 0";
  CHECK(backend->make_kernel(spec, {}, name)->implementation() == name);
  CHECK(backend->make_kernel(mirror, {}, name)->implementation() == name + " padded");
}

}  // namespace cnnplan::test
