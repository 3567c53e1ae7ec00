// Times the ways in which cuDNN can compute one convolution.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "executor/backend/cudnn/convolution_variant.hpp"
#include "executor/backend/cudnn/engine.hpp"
#include "executor/backend/cudnn/trial_operands.hpp"
#include "executor/backend/cudnn/trial_workspace.hpp"
#include "profiler/cudnn_bench/bench_context.hpp"
#include "profiler/cudnn_bench/run_timer.hpp"
#include "profiler/cudnn_bench/step_kernels.hpp"

namespace cnnplan::cudnn {

// Names an engine that can compute a convolution in a variant.
struct EngineCandidate {
  ConvolutionVariant variant;
  Engine engine;
  int rank = 0;  // in the library's list for the variant, from 1 on
  bool runtime_compiled = false;
  std::string name() const { return to_text(engine) + to_text(variant); }
};

// Returns whether engines that also sum the outputs are timed. A batch norm needs the sums.
bool sums_outputs(const BenchOptions& options, const StepKernel& kernel);
// Returns whether the options leave the engine out: "engine 38" names "engine 38 k2=5 fused", too.
bool is_skipped(const BenchOptions& options, const EngineCandidate& candidate);
// Returns the first `most` engine configurations that the library recommends for a variant and that
// follow the rules of the executor; 0: all. @throws BackendError where cuDNN refuses the graph
std::vector<EngineCandidate> engine_candidates(Library& library,
                                               const KernelSpec& spec,
                                               const ConvolutionVariant& variant,
                                               int most);

// Holds the operands of one convolution, and times one engine after another on them.
class EngineBench {
 public:
  // Keeps references. @throws InfeasibleError where the device lacks the memory
  EngineBench(const BenchContext& context, const StepKernel& kernel);
  // Writes one line, with the times or the error. Returns whether the engine ran. It blocks.
  // @throws DeviceLostError
  bool time(const EngineCandidate& candidate);

 private:
  void add_measurement(const EngineCandidate& candidate, OrderedJson& line);

  const BenchContext& context_;
  const StepKernel& kernel_;
  TrialWorkspace workspace_;
  OperandSets sets_;
  std::deque<TrialOperands> operands_;
};

// Writes the line of a convolution, or of one of its variants, that has no engine to time.
void write_without_engine(const BenchContext& context,
                          const StepKernel& kernel,
                          const ConvolutionVariant& variant,
                          const std::string& error);

}  // namespace cnnplan::cudnn
