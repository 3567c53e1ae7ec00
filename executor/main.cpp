// cnnexec: the command line of the executor.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "executor/comm/communicator.hpp"
#include "executor/training/trainer.hpp"
#include "planner/model/error.hpp"
#include "planner/model/file.hpp"

namespace cnnplan {
namespace {

constexpr const char* footer = R"(EXAMPLES
  mpirun -n 2 cnnexec --strategy plan.json
  mpirun -n 2 cnnexec --strategy plan.json --steps 50 -o run.json
  mpirun -n 4 cnnexec --strategy plan.json --data train.h5 --epochs 5 --test test.h5
  cnnexec --strategy plan.json --steps 1 --dump step.h5       weights, gradients, outputs, loss

DATA
  HDF5 with /samples (N, C, H, W) float32 or uint8 and /labels (N), or (N, H, W) per pixel. Each
  rank reads its block. Without --data: one made-up mini-batch, the same in every step.

EXIT CODES
  0 ok   1 internal   2 usage   3 bad input   4 infeasible   5 environment or launch
  7 NaN or infinity   8 peer lost   9 I/O
)";

struct Options {
  std::string plan_file = "plan.json";
  std::string run_file = "run.json";
  TrainingOptions training;
};

void add_options(CLI::App& app, Options& options) {
  TrainingOptions& training = options.training;
  app.add_option("-s,--strategy", options.plan_file, "Plan to run")->capture_default_str();
  app.add_option("-o,--output", options.run_file, "Where to write what was measured")
      ->capture_default_str();
  app.add_option("--backend", training.backend, "Kernels: onednn, reference")
      ->capture_default_str();
  app.add_option("--steps", training.steps, "Steps to train")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--epochs", training.epochs, "Passes over the data instead of --steps")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20));
  app.add_option("--warmup", training.warmup, "First steps that do not count in the times")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--data", training.data_file, "HDF5 file to train on; default: made-up samples");
  app.add_option("--test", training.test_file, "HDF5 file to evaluate on at the end");
  app.add_option("--weights", training.weights_file, "HDF5 file of first weights; default: --seed");
  app.add_option("--dump",
                 training.dump_file,
                 "HDF5 file for weights, gradients, outputs and loss of the last step");
  app.add_option("--learning-rate", training.learning_rate, "Of SGD")->capture_default_str();
  app.add_option("--momentum", training.momentum, "Of SGD")->capture_default_str();
  app.add_option("--weight-decay", training.weight_decay, "Of SGD")->capture_default_str();
  app.add_option("--seed", training.seed, "Of weights, dropout, order of samples")
      ->capture_default_str();
  app.footer(footer);
}

// One rank reads, all know: a missing file is missing everywhere. Collective.
std::string read_shared_file(const std::string& file, const Communicator& world) {
  std::string text;
  std::string problem;
  if (world.rank() == 0) {
    try {
      text = read_file(file);
    } catch (const IoError& error) {
      problem = error.what();
    }
  }
  problem = world.broadcast(problem, 0);
  if (!problem.empty()) throw IoError(problem);
  return world.broadcast(text, 0);
}

class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() {
    if (shown_ && drawn_) std::fputc('\n', stderr);
  }
  void operator()(const Progress& progress) {
    if (!shown_) return;
    drawn_ = true;
    const long left_s =
        std::lround(static_cast<double>(progress.steps - progress.step) * progress.step_s);
    std::fprintf(stderr,
                 "\rstep %lld/%lld  loss %.4f  %.3f s/step  left %ld:%02ld   ",
                 static_cast<long long>(progress.step),
                 static_cast<long long>(progress.steps),
                 progress.loss,
                 progress.step_s,
                 left_s / 60,
                 left_s % 60);
  }

 private:
  bool shown_;
  bool drawn_ = false;
};

void print_summary(const RunReport& run, const std::string& file) {
  std::printf("%s, batch %lld, %d rank%s: step %.4f s (min %.4f, max %.4f, %d steps), loss %.6f",
              run.network.c_str(),
              static_cast<long long>(run.batch),
              run.ranks,
              run.ranks == 1 ? "" : "s",
              run.step.median_s,
              run.step.min_s,
              run.step.max_s,
              run.step.count,
              run.loss.empty() ? 0.0 : run.loss.back());
  if (run.test_accuracy >= 0.0) std::printf(", test accuracy %.2f %%", 100.0 * run.test_accuracy);
  std::printf("\nwrote %s\n", file.c_str());
}

void execute(const Options& options, const Communicator& world) {
  const std::string text = read_shared_file(options.plan_file, world);
  const Plan plan = parse_plan(text, options.plan_file);
  const bool is_first = world.rank() == 0;
  RunReport run;
  {
    ProgressLine line(is_first && isatty(STDERR_FILENO) == 1);
    run = train(plan, options.training, world, [&line](const Progress& p) { line(p); });
  }
  if (!is_first) return;
  run.inputs = {{.file = base_name(options.plan_file), .sha256 = sha256(text)}};
  write_file(options.run_file, to_json(run));
  print_summary(run, options.run_file);
}

// True for errors that every rank meets alike: before any rank works on data of its own.
bool is_shared(const Error& error) {
  return dynamic_cast<const InputError*>(&error) != nullptr ||
         dynamic_cast<const EnvironmentError*>(&error) != nullptr ||
         dynamic_cast<const InfeasibleError*>(&error) != nullptr ||
         dynamic_cast<const NotFiniteError*>(&error) != nullptr;
}

int run(int argc, char** argv) {
  CLI::App app("cnnexec: train a network as a plan says", "cnnexec");
  Options options;
  app.set_version_flag("--version", CNNPLAN_VERSION);
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  const MpiSession session(argc, argv);
  const Communicator world = Communicator::world();
  try {
    execute(options, world);
    return static_cast<int>(ExitCode::ok);
  } catch (const Error& error) {
    const auto code = static_cast<int>(error.exit_code());
    if (!is_shared(error)) {
      std::cerr << "cnnexec: rank " << world.rank() << ": " << error.what() << std::endl;
      abort_all_ranks(code);
    }
    if (world.rank() == 0) std::cerr << "cnnexec: " << error.what() << std::endl;
    return code;
  } catch (const std::exception& error) {
    std::cerr << "cnnexec: rank " << world.rank() << ": internal error: " << error.what()
              << std::endl;
    abort_all_ranks(static_cast<int>(ExitCode::internal));
  }
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  try {
    return cnnplan::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cnnexec: %s\n", error.what());
    return static_cast<int>(cnnplan::ExitCode::environment);
  }
}
