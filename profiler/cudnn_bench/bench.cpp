// Orders the measurements, and leaves out the last ones where a budget is spent.
#include "profiler/cudnn_bench/bench.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "executor/backend/cudnn/first_run.hpp"
#include "planner/base/file.hpp"
#include "planner/import/network_source.hpp"
#include "planner/tensor/enumerators.hpp"
#include "profiler/cudnn_bench/device_peaks.hpp"
#include "profiler/cudnn_bench/engine_bench.hpp"
#include "profiler/cudnn_bench/own_bench.hpp"

namespace cnnplan::cudnn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t hz_per_mhz = 1000000;

template <typename E>
bool is_wanted(const std::vector<E>& wanted, E value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool is_wanted(const BenchOptions& options, const KernelSpec& spec) {
  const bool is_engine = spec.kind == KernelKind::convolution;
  return (is_engine ? options.engines : options.own_kernels) &&
         is_wanted(options.kinds, spec.kind) && is_wanted(options.phases, spec.phase);
}

std::vector<StepKernel> wanted_kernels(const BenchOptions& options, std::ostream& log) {
  std::vector<std::string> notes;
  const std::string content = read_file(options.network);
  const Network network = parse_network_or_model(
      {.content = content, .file = options.network, .input_size = options.input_size}, notes);
  for (const std::string& note : notes) log << note << '\n';
  std::vector<StepKernel> kernels = step_kernels(network, options.batch, options.precision);
  std::erase_if(kernels,
                [&](const StepKernel& kernel) { return !is_wanted(options, kernel.spec); });
  return kernels;
}

// Counts the measurements, and names the kernels that the budget left out.
struct Tally {
  int own = 0;
  int own_failed = 0;
  int engines = 0;
  int engines_failed = 0;
  std::vector<std::string> left_out{};
};

class Bench {
 public:
  // `begin` is the start of the program, from which the budget counts.
  Bench(const BenchContext& context, std::vector<StepKernel> kernels, Clock::time_point begin)
      : context_(context), kernels_(std::move(kernels)), begin_(begin) {}

  ExitCode run();

 private:
  // Holds the engines of one convolution that have not run yet.
  struct Waiting {
    const StepKernel* kernel;
    std::vector<EngineCandidate> candidates;
  };

  void write_header() const;
  void write_done(const std::optional<std::string>& why_not) const;
  void time_all();
  void time_own(const StepKernel& kernel);
  void time_convolution(const StepKernel& kernel);
  std::vector<EngineCandidate> candidates_of(const StepKernel& kernel);
  void time_engines(const StepKernel& kernel, const std::vector<EngineCandidate>& candidates);
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool is_over() const {
    return context_.options.budget_s > 0.0 && elapsed_s() >= context_.options.budget_s;
  }

  BenchContext context_;
  std::vector<StepKernel> kernels_;
  std::vector<Waiting> waiting_;  // engines that are compiled at run time
  Tally tally_;
  Clock::time_point begin_;
};

ExitCode Bench::run() {
  write_header();
  try {
    context_.peaks = measure_peaks(context_);
    time_all();
  } catch (const DeviceLostError& lost) {
    write_done(lost.what());
    return lost.exit_code();
  }
  write_done({});
  return ExitCode::ok;
}

void Bench::write_header() const {
  const BenchOptions& options = context_.options;
  const CudaDevice& device = context_.library.device();
  OrderedJson line = new_line("header");
  line.update(new_document("cudnn-bench"));
  line["device"] = device.name();
  line["place"] = device.place();
  line["libraries"] = context_.library.versions();
  line["memory_bytes"] = device.memory_bytes();
  line["l2_cache_bytes"] = device.properties().l2_cache_bytes;
  line["clock_hz"] = hz_per_mhz * device.properties().clock_mhz;
  line["memory_clock_hz"] = hz_per_mhz * device.properties().memory_clock_mhz;
  line["network"] = options.network;
  line["batch"] = options.batch;
  line["precision"] = to_text(options.precision);
  line["input_size"] = options.input_size;
  line["budget_s"] = options.budget_s;
  line["statistics"] = options.statistics;
  line["max_engines"] = options.max_engines;
  line["skipped_engines"] = options.skipped_engines;
  line["kernels"] = kernels_.size();
  context_.lines.write(line);
}

void Bench::write_done(const std::optional<std::string>& why_not) const {
  OrderedJson line = new_line("done");
  line["done"] = !why_not.has_value();
  if (why_not) line["error"] = *why_not;
  line["own"] = tally_.own;
  line["own_failed"] = tally_.own_failed;
  line["engines"] = tally_.engines;
  line["engines_failed"] = tally_.engines_failed;
  line["left_out"] = tally_.left_out;
  line["elapsed_s"] = elapsed_s();
  context_.lines.write(line);
}

// A budget cuts the kernels that matter least to a step, and engines that need a compiler first.
void Bench::time_all() {
  const auto step_s = [this](const StepKernel& kernel) {
    return kernel.count * bound_s(kernel.spec, context_.peaks);
  };
  std::stable_sort(kernels_.begin(), kernels_.end(), [&](const StepKernel& a, const StepKernel& b) {
    return step_s(a) > step_s(b);
  });
  for (const StepKernel& kernel : kernels_) {
    if (is_over()) {
      tally_.left_out.push_back(to_text(kernel.spec));
    } else if (kernel.spec.kind == KernelKind::convolution) {
      time_convolution(kernel);
    } else {
      time_own(kernel);
    }
  }
  for (const auto& [kernel, candidates] : waiting_) time_engines(*kernel, candidates);
}

void Bench::time_own(const StepKernel& kernel) {
  ++tally_.own;
  if (!time_own_kernel(context_, kernel)) ++tally_.own_failed;
}

void Bench::time_convolution(const StepKernel& kernel) {
  std::vector<EngineCandidate> candidates = candidates_of(kernel);
  const auto later = std::stable_partition(
      candidates.begin(), candidates.end(), [](const EngineCandidate& candidate) {
        return !candidate.runtime_compiled;
      });
  if (later != candidates.end()) waiting_.push_back({&kernel, {later, candidates.end()}});
  candidates.erase(later, candidates.end());
  time_engines(kernel, candidates);
}

std::vector<EngineCandidate> Bench::candidates_of(const StepKernel& kernel) {
  std::vector<EngineCandidate> all;
  std::vector<ConvolutionVariant> variants = variants_of(kernel.spec);
  if (sums_outputs(context_.options, kernel)) variants.push_back({.statistics = true});
  for (const ConvolutionVariant& variant : variants) {
    try {
      const std::vector<EngineCandidate> some =
          engine_candidates(context_.library, kernel.spec, variant, context_.options.max_engines);
      all.insert(all.end(), some.begin(), some.end());
      if (some.empty()) write_without_engine(context_, kernel, variant, "cuDNN names no engine");
    } catch (const Error& error) {
      write_without_engine(context_, kernel, variant, error.what());
      require_answer(
          context_.library.device(), "search for engines for " + to_text(kernel.spec), error);
    }
  }
  return all;
}

void Bench::time_engines(const StepKernel& kernel, const std::vector<EngineCandidate>& candidates) {
  if (candidates.empty()) return;
  std::optional<EngineBench> bench;
  try {
    bench.emplace(context_, kernel);
  } catch (const Error& error) {
    write_without_engine(context_, kernel, {}, error.what());
    require_answer(
        context_.library.device(), "allocation of operands of " + to_text(kernel.spec), error);
    return;
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (is_over()) {
      tally_.left_out.push_back(to_text(kernel.spec) + ": " +
                                std::to_string(candidates.size() - i) + " engines");
      return;
    }
    ++tally_.engines;
    if (!bench->time(candidates[i])) ++tally_.engines_failed;
  }
}

void require_supported(Library& library, Precision precision) {
  if (library.supports(precision)) return;
  std::string others;
  for (Precision other : Enumerators<Precision>::all) {
    if (!library.supports(other)) continue;
    others += ' ';
    others += to_text(other);
  }
  throw EnvironmentError(library.device().name() + " does not run " +
                         std::string(to_text(precision)) + "; it runs" + others);
}

}  // namespace

ExitCode run_bench(const BenchOptions& options, std::ostream& out, std::ostream& log) {
  const auto begin = Clock::now();
  std::vector<StepKernel> kernels = wanted_kernels(options, log);
  require_devices("cudnn_bench needs an NVIDIA GPU and a driver for it");
  Library library({});
  require_supported(library, options.precision);
  LineWriter lines(out);
  return Bench({.options = options, .library = library, .lines = lines, .log = log},
               std::move(kernels),
               begin)
      .run();
}

}  // namespace cnnplan::cudnn
