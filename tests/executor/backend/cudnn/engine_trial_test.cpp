// Tests which engines are chosen, and which names are accepted, on the emulated device.
#include "executor/backend/cudnn/engine_trial.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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
    const cudnn::EngineRules rules{.precision = spec.precision, .deterministic = deterministic};
    for (const auto& found :
         cudnn::trial_order(cudnn::recommended_engines(target, graph.graph, rules))) {
      indices.push_back(found.engine.index);
    }
  }
  return indices;
}

bool is_in(const std::vector<std::int64_t>& indices, emulation::EngineIndex engine) {
  return std::find(indices.begin(), indices.end(), engine) != indices.end();
}

// Returns the lines that name engines before they first run.
std::vector<std::string> first_runs(const KernelSpec& spec, int engine_trials) {
  std::vector<std::string> lines;
  const auto backend = cudnn::make_backend(
      {.engine_trials = engine_trials, .note = [&lines](const std::string& line) {
         if (line.find("failed") == std::string::npos) lines.push_back(line);
       }});
  backend->make_kernel(spec, {}, {});
  return lines;
}

// Returns how often device memory is allocated to choose how `spec` is computed.
std::int64_t allocations_of_choice(const KernelSpec& spec, std::int64_t most_workspace_bytes) {
  emulation::reset();
  const auto backend = cudnn::make_backend({.most_workspace_bytes = most_workspace_bytes});
  const std::int64_t before = emulation::counters().allocations;
  backend->make_kernel(spec, {}, {});
  return emulation::counters().allocations - before;
}

// Runs backward_data on activations that begin with the second sample of their buffers.
// @throws BackendError if they are not aligned as the kernel needs them
void run_on_second_sample(Backend& backend, const KernelSpec& spec, Kernel& kernel) {
  constexpr BufferElement element = BufferElement::bf16;
  const Shape filters{{1, 1, 1, 1, backend.weight_elements(spec)}};
  std::vector<MemoryBlock> memory;
  std::vector<TensorView> views;
  for (const Shape& shape : {spec.out, filters, spec.in}) {
    const std::int64_t sample_bytes = volume(shape) / shape[Dim::n] * bytes_of(element);
    memory.push_back(backend.device().allocate((shape[Dim::n] + 1) * sample_bytes));
    std::byte* const begin = memory.back().data() + (shape[Dim::n] > 1 ? sample_bytes : 0);
    views.push_back(view_of(begin, whole(shape), whole(shape), bytes_of(element)));
  }
  kernel.run(views, {});
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

TEST_CASE("Engine trial: an engine that fails counts as tried, unless none has run yet") {
  const KernelSpec spec = spec_of(KernelPhase::backward_data, Precision::tf32, 4);
  constexpr std::size_t trials = 3;
  bool is_in_time = false;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    emulation::reset({.seed = seed});
    std::vector<std::int64_t> tried = recommended(spec, false);
    tried.resize(trials);
    const bool fails = is_in(tried, emulation::broken);
    is_in_time = is_in_time || fails;
    CHECK(first_runs(spec, trials).size() == trials - (fails ? 1 : 0));
    CHECK(first_runs(spec, 1).size() == 1);
  }
  CHECK(is_in_time);
}

TEST_CASE("Engine trial: a fused variant is left out if all its engines are compiled on the way") {
  KernelSpec spec = spec_of(KernelPhase::forward, Precision::tf32, 4);
  for (const bool is_compiled : {false, true}) {
    emulation::reset({.cudnn_compiles_fused = is_compiled});
    const std::vector<std::string> lines = first_runs(spec, 16);
    CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
            return contains(line, " fused for ");
          }) == !is_compiled);
    CHECK(lines.size() > 2);
  }
}

TEST_CASE("Engine trial: first one of each engine, then the library's order, then compiled ones") {
  std::vector<cudnn::RecommendedEngine> listed;
  const auto add = [&listed](std::int64_t index, std::int64_t knob) -> cudnn::RecommendedEngine& {
    return listed.emplace_back(
        cudnn::RecommendedEngine{.engine = {.index = index, .knobs = {{2, knob}}}});
  };
  add(7, 0).is_runtime_compiled = true;
  for (const std::int64_t knob : {3, 1, 2}) add(62, knob);
  add(7, 1).is_runtime_compiled = true;
  add(45, 0);
  add(8, 0).is_runtime_compiled = true;
  add(1, 0).is_fallback = true;
  std::vector<std::pair<std::int64_t, std::int64_t>> order;
  for (const cudnn::RecommendedEngine& found : cudnn::trial_order(listed)) {
    order.emplace_back(found.engine.index, found.engine.knobs[0].second);
  }
  CHECK(order == decltype(order){{62, 3}, {45, 0}, {62, 1}, {62, 2}, {1, 0}, {7, 0}, {8, 0}});
  CHECK_FALSE(cudnn::are_runtime_compiled(listed));
  CHECK_FALSE(cudnn::are_runtime_compiled({}));
  CHECK(cudnn::are_runtime_compiled({listed.front()}));
}

TEST_CASE("Engine trial: an engine that needs aligned operands gives way inside a buffer") {
  emulation::reset();
  const std::string name = "engine " + std::to_string(emulation::tensor_core);
  const KernelConstants inside{.begins_inside = true};
  for (const std::int64_t channels : {3, 8}) {
    CAPTURE(channels);
    std::vector<std::string> lines;
    const auto backend =
        cudnn::make_backend({.note = [&lines](const std::string& line) { lines.push_back(line); }});
    KernelSpec spec = spec_of(KernelPhase::backward_data, Precision::bf16, channels);
    spec.out[Dim::c] = 8;
    const auto implementation = [&](const KernelConstants& constants, const std::string& wanted) {
      return backend->make_kernel(spec, constants, wanted)->implementation();
    };
    CHECK(implementation({}, name) == name);
    CHECK(lines.empty());
    CHECK((implementation(inside, name) == name) == (channels == 8));
    CHECK(implementation(inside, name) == implementation(inside, name));
    const auto run_inside = [&](const KernelConstants& constants) {
      run_on_second_sample(*backend, spec, *backend->make_kernel(spec, constants, name));
    };
    CHECK_NOTHROW(run_inside(inside));
    if (channels != 8) CHECK_THROWS_AS(run_inside({}), BackendError);
    CHECK((lines.empty() || contains(lines.back(), name + " needs operands at multiples of 16")));
    CHECK(lines.empty() == (channels == 8));
    CHECK_THROWS_AS(implementation(inside, "engine 99"), BackendError);
  }
}

TEST_CASE("Engine trial: an engine that was timed on stored zeros gives way where there are none") {
  emulation::reset({.cudnn_tensor_channels = 8});
  const std::string name = "engine " + std::to_string(emulation::tensor_core);
  std::vector<std::string> lines;
  const auto backend =
      cudnn::make_backend({.note = [&lines](const std::string& line) { lines.push_back(line); }});
  const auto implementation = [&](Precision precision, std::int64_t channels) {
    const KernelSpec spec = spec_of(KernelPhase::forward, precision, channels);
    return backend->make_kernel(spec, {}, name)->implementation();
  };
  CHECK(implementation(Precision::bf16, 8) == name);
  CHECK(lines.empty());
  CHECK(implementation(Precision::bf16, 3) != name);
  REQUIRE_FALSE(lines.empty());
  CHECK(contains(lines.back(), name + " needs another number of stored channels"));
  CHECK_THROWS_AS(implementation(Precision::bf16, 12), BackendError);
  CHECK_THROWS_AS(implementation(Precision::tf32, 3), BackendError);
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
                                 "engine 0 statistics",
                                 "brgconv:avx512_core"}) {
    CAPTURE(name);
    CHECK(contains(refusal(*backend, forward, name), name));
  }
  const KernelSpec backward = spec_of(KernelPhase::backward_data, Precision::fp32, 4);
  CHECK(contains(refusal(*backend, backward, "engine 0 fused"), "engine 0 fused"));
  KernelSpec plain = forward;
  plain.bias = false;
  CHECK(refusal(*backend, plain, "engine 0").empty());
  CHECK(contains(refusal(*backend, plain, "engine 0 statistics"), "not this kind of convolution"));
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
