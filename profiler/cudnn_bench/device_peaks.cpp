// The product is a 1x1 convolution, so that the program needs no library of matrix products.
#include "profiler/cudnn_bench/device_peaks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "executor/backend/cudnn/cuda/cuda_memory.hpp"
#include "executor/backend/cudnn/engine_stopwatch.hpp"
#include "executor/backend/cudnn/first_run.hpp"
#include "planner/tensor/enumerators.hpp"
#include "profiler/cudnn_bench/engine_bench.hpp"

namespace cnnplan::cudnn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_product_engines = 8;
constexpr std::int64_t positions_per_image = 256;
constexpr std::int64_t most_copy_bytes = std::int64_t{1} << 29;
constexpr std::int64_t parts_of_memory = 32;  // a copy buffer takes one part at most

struct BestProduct {
  std::string engine;
  double seconds = std::numeric_limits<double>::infinity();
};

class ProductTrial {
 public:
  explicit ProductTrial(const BenchContext& context)
      : context_(context),
        spec_(product_spec(context.options.product_size, context.options.precision)),
        workspace_(context.library),
        operands_(context.library.device(), spec_),
        stopwatch_(context.library.device()) {}

  // Repeats all engines until the device is warm. @throws BackendError where no engine runs
  BestProduct best() {
    std::vector<EngineCandidate> candidates =
        engine_candidates(context_.library, spec_, {}, most_product_engines);
    std::erase_if(candidates, [this](const EngineCandidate& candidate) {
      return candidate.runtime_compiled || is_skipped(context_.options, candidate);
    });
    const std::chrono::duration<double> warm_up(context_.options.warm_up_s);
    const auto begin = Clock::now();
    BestProduct best;
    do {
      std::erase_if(candidates,
                    [&](const EngineCandidate& candidate) { return !improve(best, candidate); });
      is_named_ = true;
    } while (!candidates.empty() && Clock::now() - begin < warm_up);
    if (best.engine.empty()) throw BackendError("no engine runs " + to_text(spec_));
    return best;
  }
  const KernelSpec& spec() const { return spec_; }

 private:
  // Returns whether the engine runs. @throws DeviceLostError naming the engine
  bool improve(BestProduct& best, const EngineCandidate& candidate) {
    const std::string what = first_run_of(candidate.name(), spec_);
    if (!is_named_) context_.log << "cudnn_bench: " << what << std::endl;
    try {
      const double time_s = best_seconds(candidate);
      if (time_s < best.seconds) best = {candidate.name(), time_s};
      return true;
    } catch (const Error& error) {
      require_answer(context_.library.device(), what, error);
      return false;
    }
  }
  double best_seconds(const EngineCandidate& candidate) {
    const ConvolutionGraph graph = make_convolution_graph(EngineTarget(context_.library.handle()),
                                                          engine_view(spec_, candidate.variant),
                                                          candidate.variant);
    ConvolutionProgram program(context_.library, spec_, candidate.variant, graph, candidate.engine);
    return stopwatch_.best_seconds(
        program, operands_.operands(), std::numeric_limits<double>::infinity());
  }

  const BenchContext& context_;
  KernelSpec spec_;
  TrialWorkspace workspace_;
  TrialOperands operands_;
  Stopwatch stopwatch_;
  bool is_named_ = false;  // true after the first pass, in which every engine is named
};

double product_flops_per_s(const BenchContext& context, OrderedJson& line) {
  ProductTrial trial(context);
  const BestProduct best = trial.best();
  const double flops_per_s = per_second(flops(trial.spec()), best.seconds);
  line["engine"] = best.engine;
  line["min_s"] = best.seconds;
  line["flops"] = flops(trial.spec());
  line["flops_per_s"] = flops_per_s;
  return flops_per_s;
}

double copy_bytes_per_s(const BenchContext& context, OrderedJson& line) {
  CudaDevice& device = context.library.device();
  const std::int64_t bytes = std::min(most_copy_bytes, device.memory_bytes() / parts_of_memory);
  const MemoryBlock from = device.allocate(bytes);
  const MemoryBlock to = device.allocate(bytes);
  const TimedRuns runs = time_runs(device, 1, context.options.sample_s, [&](int) {
    copy_bytes(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, device.stream());
  });
  const double moved_bytes = 2.0 * static_cast<double>(bytes);
  const double bytes_per_s = per_second(moved_bytes, runs.time.median_s);
  line["samples"] = runs.time.count;
  line["median_s"] = runs.time.median_s;
  line["bytes"] = moved_bytes;
  line["bytes_per_s"] = bytes_per_s;
  return bytes_per_s;
}

}  // namespace

KernelSpec product_spec(std::int64_t size, Precision precision) {
  constexpr std::int64_t side = 16;
  static_assert(side * side == positions_per_image);
  const std::int64_t images = std::max<std::int64_t>(1, size / positions_per_image);
  const Shape shape{{images, size, 1, side, side}};
  return {.kind = KernelKind::convolution, .in = shape, .out = shape, .precision = precision};
}

DevicePeaks measure_peaks(const BenchContext& context) {
  DevicePeaks peaks;
  OrderedJson product = new_line("product");
  product["precision"] = to_text(context.options.precision);
  product["size"] = context.options.product_size;
  measure_line(context, "product", product, [&](OrderedJson& line) {
    peaks.product_flops_per_s = product_flops_per_s(context, line);
  });
  measure_line(context, "copy", new_line("copy"), [&](OrderedJson& line) {
    peaks.copy_bytes_per_s = copy_bytes_per_s(context, line);
  });
  return peaks;
}

}  // namespace cnnplan::cudnn
