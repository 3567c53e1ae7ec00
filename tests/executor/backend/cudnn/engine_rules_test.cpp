// Tests that recommended engines declare arithmetic that follows the rules.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"
#include "tests/executor/backend/cudnn/found_engines.hpp"

namespace cnnplan::test {
namespace {

using Notes = std::set<cudnnBackendNumericalNote_t>;

Notes notes_of(const cudnn::EngineTarget& target,
               const cudnn::Descriptor& graph,
               const cudnn::Engine& engine) {
  cudnn::Descriptor descriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph)
      .set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, engine.index);
  target.set_for_engine(descriptor);
  descriptor.finalize();
  const auto notes = descriptor.get_enumerators<cudnnBackendNumericalNote_t>(
      CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  return {notes.begin(), notes.end()};
}

// Returns all notes of engines for a 3x3 convolution, which all methods can compute.
Notes all_notes(KernelPhase phase, const cudnn::EngineRules& rules) {
  const cudnn::EngineTarget target(h100);
  KernelSpec spec{.phase = phase, .in = {{8, 64, 1, 28, 28}}, .out = {{8, 64, 1, 28, 28}}};
  spec.window.dims[1] = spec.window.dims[2] = {3, 1, 1, 1, 1};
  spec.precision = rules.precision;
  const cudnn::ConvolutionVariant variant = cudnn::variants_of(spec).front();
  const cudnn::ConvolutionGraph graph =
      cudnn::make_convolution_graph(target, cudnn::engine_view(spec, variant), variant);
  Notes all;
  for (const auto& found : cudnn::recommended_engines(target, graph.graph, rules)) {
    all.merge(notes_of(target, graph.graph, found.engine));
  }
  return all;
}

constexpr std::array phases{
    KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter};

}  // namespace

TEST_CASE("EngineRules: fp32 keeps off tensor cores, the others use them") {
  for (KernelPhase phase : phases) {
    CAPTURE(to_text(phase));
    const Notes exact = all_notes(phase, {.precision = Precision::fp32});
    CHECK_FALSE(exact.contains(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
    CHECK_FALSE(exact.contains(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
    for (Precision precision : {Precision::tf32, Precision::bf16, Precision::fp16}) {
      CAPTURE(to_text(precision));
      const Notes fast = all_notes(phase, {.precision = precision});
      CHECK(fast.contains(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
    }
  }
}

TEST_CASE("EngineRules: no precision loses digits to Winograd, FFT or narrow sums") {
  for (KernelPhase phase : phases) {
    for (Precision precision : Enumerators<Precision>::all) {
      CAPTURE(to_text(precision));
      const Notes notes = all_notes(phase, {.precision = precision});
      CHECK_FALSE(notes.contains(CUDNN_NUMERICAL_NOTE_WINOGRAD));
      CHECK_FALSE(notes.contains(CUDNN_NUMERICAL_NOTE_FFT));
      CHECK_FALSE(notes.contains(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION));
    }
  }
}

TEST_CASE("EngineRules: deterministic leaves out what sums in any order") {
  for (Precision precision : {Precision::fp32, Precision::tf32}) {
    CAPTURE(to_text(precision));
    const KernelPhase phase = KernelPhase::backward_filter;
    const Notes any = all_notes(phase, {.precision = precision});
    CHECK(any.contains(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
    const Notes same_bits = all_notes(phase, {.precision = precision, .deterministic = true});
    CHECK_FALSE(same_bits.contains(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
  }
}

}  // namespace cnnplan::test
