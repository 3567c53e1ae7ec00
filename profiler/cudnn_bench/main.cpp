// Declares the command line of cudnn_bench, which times every kernel of a network on a GPU. It
// needs neither MPI nor a plan.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include "planner/base/exit_code.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/one_of.hpp"
#include "planner/cli/suggestions.hpp"
#include "planner/cli/version_text.hpp"
#include "planner/kernel/kernel_kind.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/enumerators.hpp"
#include "profiler/cudnn_bench/bench.hpp"

namespace cnnplan::cudnn {
namespace {

std::string footer() {
  return examples_text({
             {"cudnn_bench > bench.jsonl", "ResNet-50, batch 256, bf16"},
             {"cudnn_bench --own-only --kind batch_norm", "own kernels of one kind"},
             {"cudnn_bench --engines-only --phase backward_filter --max-engines 8", ""},
             {"cudnn_bench --network vgg16.json --batch 64 --precision tf32 --budget 120", ""},
             {"cudnn_bench --skip-engine \"engine 38\"", "after a run that engine 38 ended"},
         }) +
         section_text("OUTPUT",
                      "Standard output gets one JSON object per line, as soon as it is known. The "
                      "lines are \"header\", \"product\" and \"copy\", then \"own\" for own "
                      "kernels and \"engine\" for engine configurations of cuDNN, and \"done\". "
                      "Kernels that take most of a training step come first. Engines that cuDNN "
                      "compiles at run time come last. Standard error names each kernel before it "
                      "runs, so that a crash or a hang has a culprit.");
}

void add_network_options(CLI::App& app, BenchOptions& options) {
  app.option_defaults()->group("Network");
  options.network = shipped_path("resnet50", shipped_networks);  // empty where it is not found
  app.add_option("--network", options.network, "Network file or ONNX model; default: ResNet-50")
      ->type_name("FILE")
      ->required(options.network.empty());
  app.add_option("-i,--input",
                 options.input_size,
                 "Image size HxW or DxHxW, for ONNX models also CxHxW; default: the network's")
      ->type_name("SIZE");
  app.add_option("-b,--batch", options.batch, "Samples per step")
      ->check(CLI::Range(std::int64_t{1}, max_batch))
      ->capture_default_str();
  app.add_option("--precision", options.precision, "fp32, fp64, tf32, bf16, fp16")
      ->transform(one_of(names_of<Precision>()))
      ->default_str("bf16");
}

void add_filters(CLI::App& app, BenchOptions& options) {
  app.option_defaults()->group("Filters");
  app.add_option("--kind", options.kinds, "Only kernels of this kind; may be repeated")
      ->transform(one_of(names_of<KernelKind>()));
  app.add_option("--phase", options.phases, "Only kernels of this phase; may be repeated")
      ->transform(one_of(names_of<KernelPhase>()));
  const auto leave_out = [](bool& measured) {
    return [&measured](std::int64_t) { measured = false; };
  };
  CLI::Option* const own = app.add_flag_function(
      "--own-only", leave_out(options.engines), "Only own kernels, no engines of cuDNN");
  app.add_flag_function("--engines-only", leave_out(options.own_kernels), "Only engines of cuDNN")
      ->excludes(own);
  app.add_flag(
      "--statistics",
      options.statistics,
      "Also engines that compute a batch norm's statistics with the convolution before it");
  app.add_option("--max-engines",
                 options.max_engines,
                 "At most this many engine configurations of each variant of a convolution")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  app.add_option(
         "--skip-engine",
         options.skipped_engines,
         "An engine that does not run, as named in the output; \"engine 38\" stands for all "
         "its configurations; may be repeated")
      ->type_name("NAME");
}

void add_measurement_options(CLI::App& app, BenchOptions& options) {
  app.option_defaults()->group("Measurement");
  app.add_option("--budget",
                 options.budget_s,
                 "Seconds after which nothing new begins; the last line says what was left out")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app.add_option("--operand-memory",
                 options.operand_bytes,
                 "Repeat the operands of a kernel until they take this memory, e.g. 200MiB; 0: one "
                 "copy, in the cache; default: 4 times the L2 cache")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::NonNegativeNumber);
  app.add_option("--product-size",
                 options.product_size,
                 "Rows, columns and depth of the measured matrix product")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{1} << 15))
      ->capture_default_str();
}

int run(int argc, char** argv) {
  CLI::App app("cudnn_bench: time every kernel of a network on a GPU", "cudnn_bench");
  use_help_text(app);
  suggest_options(app);
  app.set_version_flag("--version", version_text("cudnn_bench"), "Print the version");
  BenchOptions options;
  add_network_options(app, options);
  add_filters(app, options);
  add_measurement_options(app, options);
  app.footer(footer() + exit_codes_help({ExitCode::infeasible,
                                         ExitCode::prediction_outside_limit,
                                         ExitCode::not_finite,
                                         ExitCode::peer_lost,
                                         ExitCode::wrong_result,
                                         ExitCode::too_sensitive,
                                         ExitCode::preempted}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  return static_cast<int>(run_bench(options, std::cout, std::cerr));
}

}  // namespace
}  // namespace cnnplan::cudnn

int main(int argc, char** argv) {
  try {
    return cnnplan::cudnn::run(argc, argv);
  } catch (const cnnplan::Error& error) {
    std::fprintf(stderr, "cudnn_bench: %s\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cudnn_bench: internal error: %s\n", error.what());
    return static_cast<int>(cnnplan::ExitCode::internal);
  }
}
