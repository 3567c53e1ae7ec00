// cnnexec: the command line of the executor.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>

#include <CLI/CLI.hpp>

#include "executor/comm/program.hpp"
#include "executor/comm/terminal.hpp"
#include "executor/training/trainer.hpp"
#include "executor/training/verification.hpp"
#include "planner/model/error.hpp"
#include "planner/model/file.hpp"

namespace cnnplan {
namespace {

constexpr const char* footer = R"(EXAMPLES
  mpirun -n 2 cnnexec --strategy plan.json
  mpirun -n 2 cnnexec --strategy plan.json --steps 50 -o run.json
  mpirun -n 4 cnnexec --strategy plan.json --data train.h5 --epochs 5 --test test.h5
  cnnexec --strategy plan.json --steps 1 --dump step.h5       weights, gradients, outputs, loss
  mpirun -n 8 cnnexec --strategy plan.json --nccl -v          on the GPUs of a node
  mpirun -n 4 cnnexec --strategy plan.json --check-gradient=100 --gradient-limit 0.05
  mpirun -n 4 cnnexec --strategy plan.json --verify           the same as one rank?
  mpirun -n 4 cnnexec --data train.h5 --epochs 90 --checkpoint state --restart state
                                          the same command begins the training and goes on with it

DATA
  HDF5 with /samples (N, C, H, W) float32 or uint8 and /labels (N), or (N, H, W) per pixel. Each
  rank reads its block. Without --data: one made-up mini-batch, the same in every step.

CHECKPOINTS
  --restart goes on where the checkpoint was written: give it the same data, seed and end (--steps
  and --epochs count from the very beginning). Plan and number of ranks may be others; with the same,
  the training ends bit for bit as if it had never stopped. SIGTERM and SIGUSR1 end a training with
  --checkpoint after the step, with exit code 75. mpirun passes SIGUSR1 on; after SIGTERM it gives
  the ranks one second, unless it has --mca odls_base_sigkill_timeout 60.

EXIT CODES
  0 ok   1 internal   2 usage   3 bad input   4 infeasible   5 environment or launch
  7 NaN or infinity   8 peer lost   9 I/O   75 stopped by a signal, state saved
)";

struct Options {
  std::string plan_file = "plan.json";
  std::string run_file = "run.json";
  std::string graphs = "auto";
  bool verbose = false;
  bool chose_backend = false;  // the user did
  bool verify = false;
  std::int64_t check_period = 0;
  TrainingOptions training;
};

void add_optimizer_options(CLI::App& app, TrainingOptions& training) {
  constexpr double largest = std::numeric_limits<double>::max();
  const CLI::Range positive(0.0, largest);
  app.add_option("--learning-rate", training.learning_rate, "Of SGD")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--momentum", training.momentum, "Of SGD")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--weight-decay", training.weight_decay, "Of SGD")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--loss-scale",
                 training.loss_scale,
                 "Factor of error signals; default: that of the checkpoint of this plan, else 1024 "
                 "in fp16, else 1")
      ->check(CLI::Range(std::numeric_limits<double>::min(), largest));
}

void add_device_options(CLI::App& app, Options& options) {
  TrainingOptions& training = options.training;
  app.add_option("--backend", training.backend, "Kernels: cudnn, onednn, reference")
      ->capture_default_str();
  app.add_option(
         "--graphs",
         options.graphs,
         "On a GPU, kernels that follow each other start as one CUDA graph; auto: where that "
         "is faster")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_flag("--nccl",
               training.nccl,
               "Reductions that the plan gives to the library are NCCL's; one GPU per rank");
  app.add_flag("--deterministic",
               training.deterministic,
               "On a GPU, only kernels that give the same bits every time");
  app.add_option("--workspace",
                 training.most_workspace_bytes,
                 "On a GPU, most memory of a convolution that the plan names no implementation "
                 "for, beside its operands; default: 1GiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::NonNegativeNumber);
  app.add_flag("-v,--verbose", options.verbose, "Say where each rank runs");
}

void add_checkpoint_options(CLI::App& app, TrainingOptions& training) {
  CLI::Option* const folder = app.add_option(
      "--checkpoint",
      training.checkpoint_folder,
      "Folder that all ranks see, to save the state of the training in: at the end, and at the "
      "end of the step in which SIGTERM or SIGUSR1 comes");
  app.add_option("--checkpoint-every",
                 training.checkpoint_period,
                 "Save after every N-th step; default: with --epochs, after every epoch")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->needs(folder);
  app.add_option("--restart",
                 training.restart_folder,
                 "Folder of a checkpoint to go on from, under its plan or another one; where it "
                 "is that of --checkpoint and holds none, the training begins");
}

void add_check_options(CLI::App& app, Options& options) {
  CLI::Option* const check =
      app.add_option(
             "--check-gradient",
             options.check_period,
             "Compare the gradient under multigrid with that of the layers in order, before "
             "the first step; N: and before every N-th step")
          ->expected(0, 1)
          ->default_str("0")
          ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  app.add_flag("--verify",
               options.verify,
               "Instead of training, compare outputs and gradients of one step with those of one "
               "rank, on the same weights and data, and print the tensors that differ most; exit "
               "code 1 where rounding cannot be why")
      ->excludes("--epochs",
                 "--steps",
                 "--test",
                 "--dump",
                 "--check-gradient",
                 "--checkpoint",
                 "--restart");
  app.add_option("--gradient-limit",
                 options.training.gradient_limit,
                 "Largest relative error that a check may find; beyond it, multigrid takes one "
                 "cycle more, until it holds")
      ->check(CLI::Range(0.0, std::numeric_limits<double>::max()))
      ->needs(check);
}

void add_options(CLI::App& app, Options& options) {
  TrainingOptions& training = options.training;
  app.add_option("-s,--strategy", options.plan_file, "Plan to run")->capture_default_str();
  app.add_option("-o,--output", options.run_file, "Where to write what was measured")
      ->capture_default_str();
  add_device_options(app, options);
  app.add_option("--steps", training.steps, "Steps to train, from the very beginning")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--epochs", training.epochs, "Passes over the data instead of --steps")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 20))
      ->excludes("--steps");
  app.add_option(
         "--warmup",
         training.warmup,
         "First steps that do not count in the times, unless there are no others; --graphs auto "
         "adds 7 on a GPU")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--data", training.data_file, "HDF5 file to train on; default: made-up samples");
  app.add_option(
      "--test", training.test_file, "HDF5 file to evaluate on after every epoch, and at the end");
  add_checkpoint_options(app, training);
  app.add_option("--weights",
                 training.weights_file,
                 "HDF5 file of first weights, where none come from a checkpoint; default: --seed");
  app.add_option("--dump",
                 training.dump_file,
                 "HDF5 file for weights, gradients, outputs and loss of the last step");
  add_optimizer_options(app, training);
  add_check_options(app, options);
  app.add_option("--seed", training.seed, "Of weights, dropout, order of samples")
      ->capture_default_str();
  app.footer(footer);
}

Graphs graphs_of(const std::string& text) {
  if (text == "auto") return Graphs::automatic;
  return text == "on" ? Graphs::on : Graphs::off;
}

class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { end(); }
  // What follows begins a line of its own.
  void end() {
    if (shown_ && drawn_) std::fputc('\n', stderr);
    drawn_ = false;
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
  if (!run.test_accuracy.empty()) {
    std::printf(", test accuracy %.2f %%", 100.0 * run.test_accuracy.back());
  }
  std::printf("\nwrote %s\n", file.c_str());
}

void print_note(const std::string& text) {
  std::fprintf(stderr, "cnnexec: note: %s\n", text.c_str());
}

void print_evaluation(const Evaluation& evaluation) {
  if (evaluation.epochs == 0) return;  // the summary says it
  std::fprintf(stderr,
               "epoch %lld/%lld: test accuracy %.2f %%\n",
               static_cast<long long>(evaluation.epoch),
               static_cast<long long>(evaluation.epochs),
               100.0 * evaluation.accuracy);
}

void print_check(const GradientCheck& check) {
  std::fprintf(stderr,
               "step %lld: gradient cosine %.5f, relative error %.2g with %d cycle%s\n",
               static_cast<long long>(check.step),
               check.cosine,
               check.relative_error,
               check.cycles,
               check.cycles == 1 ? "" : "s");
  std::fprintf(stderr, "  residual after 0, 1, ... cycles: forward");
  for (double norm : check.forward_residuals) std::fprintf(stderr, " %.1e", norm);
  std::fprintf(stderr, ", backward");
  for (double norm : check.backward_residuals) std::fprintf(stderr, " %.1e", norm);
  std::fprintf(stderr, "\n");
}

void print_saved(std::int64_t step, const std::string& folder) {
  std::fprintf(
      stderr, "step %lld: state saved in %s\n", static_cast<long long>(step), folder.c_str());
}

void print_places(const std::vector<RankPlace>& ranks) {
  std::fprintf(stderr, "%6s  %-24s  %-24s  %s\n", "rank", "host", "place", "device");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::fprintf(stderr,
                 "%6zu  %-24s  %-24s  %s\n",
                 rank,
                 ranks[rank].host.c_str(),
                 ranks[rank].place.c_str(),
                 ranks[rank].device.c_str());
  }
}

// Before the work: a long training whose result cannot be written is lost.
void check_outputs(const Options& options) {
  check_writable(options.run_file);
  if (!options.training.dump_file.empty()) check_writable(options.training.dump_file);
}

void require_multigrid(const Plan& plan, const Options& options) {
  if (!options.training.gradient_check_period || !plan.multigrid.empty()) return;
  throw Error(
      ExitCode::usage,
      "--check-gradient: nothing to check, " + options.plan_file + " runs no chain by multigrid");
}

TrainingCallbacks callbacks_of(const Options& options, ProgressLine& line) {
  return {.placed = options.verbose ? print_places : nullptr,
          .note =
              [&line](const std::string& text) {
                line.end();
                print_note(text);
              },
          .progress = [&line](const Progress& progress) { line(progress); },
          .evaluated =
              [&line](const Evaluation& evaluation) {
                line.end();
                print_evaluation(evaluation);
              },
          .checked =
              [&line](const GradientCheck& check) {
                line.end();
                print_check(check);
              },
          .saved =
              [&line, &options](std::int64_t step) {
                line.end();
                print_saved(step, options.training.checkpoint_folder);
              }};
}

// The largest differences.
void print_verification(const Verification& verification) {
  constexpr std::size_t most = 5;
  const auto& tensors = verification.tensors;
  std::printf("%-40s  %s\n", "tensor", "relative error");
  for (std::size_t i = 0; i < std::min(most, tensors.size()); ++i) {
    std::printf("%-40s  %.2e\n", tensors[i].name.c_str(), tensors[i].relative_error);
  }
  std::printf("%zu tensors of one step beside one rank: at most %.2e apart, %s\n",
              tensors.size(),
              tensors.front().relative_error,
              verification.holds() ? "equal but for rounding" : "NOT EQUAL");
  std::printf("rounding of the weights alone: %.2e on one rank; limit %.2e\n",
              verification.rounding,
              verification.limit);
}

void verify(const Plan& plan, const Options& options, const Communicator& world) {
  const Verification found = cnnplan::verify(plan, options.training, world, {.note = print_note});
  on_first_rank(world, [&] {
    print_verification(found);
    if (found.holds()) return;
    throw Error(ExitCode::internal, "the plan does not compute what one rank does");
  });
}

void execute(const Options& options, const Communicator& world) {
  const std::string text = read_shared_file(world, options.plan_file);
  if (!options.verify) on_first_rank(world, [&] { check_outputs(options); });
  const Plan plan = parse_plan(text, options.plan_file);
  require_multigrid(plan, options);
  const bool is_first = world.rank() == 0;
  const std::string why = options.chose_backend ? "" : why_no_gpu();
  if (is_first && !why.empty()) print_note(why);
  if (options.verify) return verify(plan, options, world);
  RunReport run;
  {
    ProgressLine line(is_first && stderr_is_terminal());
    run = train(plan, options.training, world, callbacks_of(options, line));
  }
  if (!is_first) return;
  run.inputs = {input_file(options.plan_file, text)};
  write_file(options.run_file, to_json(run));
  print_summary(run, options.run_file);
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
  options.training.graphs = graphs_of(options.graphs);
  if (app.count("--check-gradient") > 0) {
    options.training.gradient_check_period = options.check_period;
  }
  options.chose_backend = app.count("--backend") > 0;
  return run_program(
      "cnnexec", argc, argv, [&](const Communicator& world) { execute(options, world); });
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  try {
    return cnnplan::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cnnexec: internal error: %s\n", error.what());
    return static_cast<int>(cnnplan::ExitCode::internal);
  }
}
