// Declares the options of cnnexec, with their help and limits, and reads them.
#include "executor/cli.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "executor/cli_comm_timeout.hpp"
#include "executor/cli_exit.hpp"
#include "executor/comm/terminal.hpp"
#include "planner/base/error.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/base/message.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/index_range.hpp"
#include "planner/cli/number_in.hpp"
#include "planner/cli/suggestions.hpp"
#include "planner/cli/version_text.hpp"

namespace cnnplan {
namespace {

std::string footer() {
  return examples_text({
             {"mpirun -n 2 cnnexec plan.json", ""},
             {"mpirun -n 2 cnnexec plan.json --steps 50 -o run.json", ""},
             {"mpirun -n 4 cnnexec plan.json --data train.h5 --epochs 5 --test test.h5", ""},
             {"mpirun -n 4 cnnexec --data cifar.h5 --epochs 90 --crop=4 --mirror", ""},
             {"cnnexec plan.json --steps 1 --dump step.h5", "weights, gradients, outputs, loss"},
             {"mpirun -n 8 cnnexec plan.json --nccl -v", "on the GPUs of a node"},
             {"mpirun -n 4 cnnexec --check-gradient=100 --gradient-limit 0.05", ""},
             {"mpirun -n 4 cnnexec plan.json --verify", "compares a step with one rank's"},
             {"mpirun -n 2 cnnexec plan.json --trace-steps 3:5", "for cnnplan trace"},
             {"mpirun -n 2 cnnexec --weights resnet50.h5 --data images.h5 --infer out.h5", ""},
             {"mpirun -n 4 cnnexec --data train.h5 --epochs 90 --checkpoint state \\\n"
              "      --restart state",
              "the same command begins the training and continues it"},
         }) +
         section_text(
             "DATA",
             "The HDF5 file has /samples (N, C, H, W), float32 or uint8 (divided by 255). Then "
             "the attribute mean is subtracted, and the result is divided by the attribute std, "
             "both by channel. The file also has /labels (N), or (N, H, W) per pixel. Where the "
             "loss is a mean squared error, it has /targets float32 (N, C), or (N, C, H, W) per "
             "pixel, instead. Each rank reads its block, ahead of the steps where cores are free. "
             "Without --data, every step takes the same made-up mini-batch. --infer needs no "
             "labels or targets; it writes /<layer>/output (N, C, H, W) of the layer before the "
             "loss. What --crop and --mirror draw depends on the seed, the pass and the sample, "
             "not on the plan.") +
         section_text(
             "CHECKPOINTS",
             "--restart continues where the checkpoint was written. Give it the same data, seed "
             "and end: --steps and --epochs count from the very beginning. The plan and the "
             "number of ranks may differ. If they do not, the training ends bit for bit as if it "
             "had never stopped. SIGTERM and SIGUSR1 end a training with --checkpoint after the "
             "current step, with exit code 75. mpirun passes SIGUSR1 on; after SIGTERM it gives "
             "the ranks one second, unless it has --mca odls_base_sigkill_timeout 60.");
}

Graphs graphs_of(const std::string& text) {
  if (text == "auto") return Graphs::automatic;
  return text == "on" ? Graphs::on : Graphs::off;
}

void add_optimizer_options(CLI::App& app, TrainingOptions& training) {
  app.option_defaults()->group("Optimizer");
  constexpr double largest = std::numeric_limits<double>::max();
  const CLI::Validator positive = number_in(0.0, largest);
  app.add_option("--learning-rate", training.learning_rate, "Learning rate of SGD")
      ->type_name("RATE")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--momentum", training.momentum, "Momentum of SGD")
      ->type_name("FACTOR")
      ->check(number_in(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--weight-decay", training.weight_decay, "Weight decay of SGD")
      ->type_name("FACTOR")
      ->check(positive)
      ->capture_default_str();
  app.add_option("--loss-scale",
                 training.loss_scale,
                 "Factor of error signals; default: as in the checkpoint of this plan, else 1024 "
                 "in fp16, else 1")
      ->type_name("FACTOR")
      ->check(number_in(std::numeric_limits<double>::min(), largest));
}

void add_device_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Device");
  TrainingOptions& training = options.training;
  app.add_option("--backend",
                 training.backend,
                 "Kernels: cudnn, onednn, reference; default: cudnn on a machine with a GPU, else "
                 "onednn, if the build has them")
      ->type_name("NAME");
  app.add_option("--graphs",
                 options.graphs,
                 "On a GPU, start consecutive kernels together as one CUDA graph; auto: where this "
                 "is faster")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_flag("--nccl",
               training.nccl,
               "Use NCCL for reductions that the plan gives to the library; one GPU per rank");
  app.add_flag("--deterministic",
               training.deterministic,
               "On a GPU, use only kernels that give the same bits every time");
  app.add_option("--workspace",
                 training.most_workspace_bytes,
                 "On a GPU, most memory of a convolution in addition to its operands, where the "
                 "plan names no implementation; default: 1GiB")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::NonNegativeNumber);
  app.add_option("--engine-trials",
                 training.engine_trials,
                 "On a GPU, most engines that are timed for each variant of a convolution, where "
                 "the plan names no implementation")
      ->check(CLI::Range(1, most_engine_trials))
      ->capture_default_str();
  app.add_flag("-v,--verbose", options.verbose, "Say where each rank runs");
  app.add_flag("--doctor",
               options.doctor,
               "Instead of training, print what the build and the device have, for cnnplan doctor");
}

void add_data_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Data");
  TrainingOptions& training = options.training;
  CLI::Option* const data =
      app.add_option("--data", training.data_file, "HDF5 file of samples; default: made-up samples")
          ->type_name("FILE");
  app.add_option(
         "--test", training.test_file, "HDF5 file to evaluate on after every epoch, and at the end")
      ->type_name("FILE");
  app.add_option(
         "--crop",
         training.augmentation.padding,
         "Samples may be larger than the network's input: train on a random window, drawn "
         "anew in every pass, and test on the middle window. With a number N, first pad each "
         "sample with N zeros on every side")
      ->type_name("ZEROS")
      ->expected(0, 1)
      ->default_str("0")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20))
      ->needs(data);
  app.add_flag("--mirror",
               training.augmentation.mirrors,
               "Exchange left and right in half of the training samples, drawn anew in every pass")
      ->needs(data);
}

void add_checkpoint_options(CLI::App& app, TrainingOptions& training) {
  app.option_defaults()->group("Checkpoints");
  CLI::Option* const folder = app.add_option("--checkpoint",
                                             training.checkpoint_folder,
                                             "Folder, visible to all ranks, for the state of the "
                                             "training: saved at the end, and after "
                                             "the step in which SIGTERM or SIGUSR1 comes")
                                  ->type_name("FOLDER");
  app.add_option("--checkpoint-every",
                 training.checkpoint_period,
                 "Save after every N-th step; default: with --epochs, after every epoch")
      ->type_name("STEPS")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40))
      ->needs(folder);
  app.add_option("--restart",
                 training.restart_folder,
                 "Folder of a checkpoint to continue from, under its plan or another plan; if it "
                 "is the folder of --checkpoint and has none yet, the training begins")
      ->type_name("FOLDER");
}

void add_comparison_option(CLI::App& app, TrainingOptions& training) {
  app.option_defaults()->group("Checks");
  app.add_option("--compare-ranks",
                 training.compare_period,
                 "After every N-th step, ranks that hold the same parameters compare them, and end "
                 "with exit code 10 if they differ; 0: never")
      ->type_name("STEPS")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
      ->capture_default_str();
}

void add_check_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Checks");
  CLI::Option* const check =
      app.add_option(
             "--check-gradient",
             options.check_period,
             "Compare the gradient under multigrid with the gradient of the layers in order, "
             "before the first step. With a number N, also before every N-th step")
          ->type_name("STEPS")
          ->expected(0, 1)
          ->default_str("0")
          ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  app.add_option("--gradient-limit",
                 options.training.gradient_limit,
                 "Largest relative error that a check may find; beyond it, multigrid takes one "
                 "cycle more, until the limit holds")
      ->type_name("FRACTION")
      ->check(number_in(0.0, std::numeric_limits<double>::max()))
      ->needs(check);
  app.add_option(
         "--residual-limit",
         options.training.residual_limit,
         "Largest residual after the last cycle, relative to the residual before the first "
         "coarse correction, forward and backward; beyond it, multigrid takes one cycle more")
      ->type_name("FRACTION")
      ->check(number_in(0.0, 1.0))
      ->needs(check);
}

void add_trace_option(CLI::App& app, Options& options) {
  app.option_defaults()->group("Checks");
  app.add_option("--trace-steps",
                 options.traced_steps,
                 "Record in the run file when each rank begins and ends each operation of steps A "
                 "to B - 1, which count from 0. cnnplan trace shows them")
      ->type_name("A:B")
      ->check(index_range_problem);
}

// Call this function after all options that --verify excludes were added.
void add_verify_option(CLI::App& app, Options& options) {
  app.add_flag("--verify{reference}",
               options.verify,
               "Instead of training, compare outputs and gradients of one step with the reference: "
               "a step of one rank in double, on the same weights and data. Limits follow from "
               "what rounding does to each tensor. Exit code 10: different; 11: too sensitive to "
               "tell in this precision")
      ->check(CLI::IsMember({"reference"}))
      ->excludes("--epochs",
                 "--steps",
                 "--test",
                 "--dump",
                 "--check-gradient",
                 "--checkpoint",
                 "--restart",
                 "--trace-steps");
}

void add_inference_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Inference");
  app.add_option("--infer",
                 options.inferred_file,
                 "Instead of training, run the network once over --data in order, with the running "
                 "values of batch norms, and write the outputs to this HDF5 file")
      ->type_name("FILE")
      ->check([](const std::string& file) { return std::string(file.empty() ? "no file" : ""); })
      ->excludes("--output",
                 "--steps",
                 "--epochs",
                 "--warmup",
                 "--test",
                 "--dump",
                 "--learning-rate",
                 "--momentum",
                 "--weight-decay",
                 "--loss-scale",
                 "--graphs",
                 "--check-gradient",
                 "--compare-ranks",
                 "--verify",
                 "--checkpoint",
                 "--restart",
                 "--trace-steps");
}

void add_file_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Files");
  app.add_option("plan,-s,--strategy", options.plan_file, "Plan to run")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("-o,--output", options.run_file, "Run file, which receives the measured times")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--weights",
                 options.training.weights_file,
                 "HDF5 file of initial weights, unless a checkpoint has them; default: by --seed")
      ->type_name("FILE");
  app.add_option("--dump",
                 options.training.dump_file,
                 "HDF5 file for weights, gradients, outputs and loss of the last step")
      ->type_name("FILE");
}

void add_step_options(CLI::App& app, TrainingOptions& training) {
  app.option_defaults()->group("Training");
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
  app.add_option("--seed", training.seed, "Seed of weights, dropout and the order of samples")
      ->type_name("NUMBER")
      ->capture_default_str();
}

void add_options(CLI::App& app, Options& options) {
  TrainingOptions& training = options.training;
  add_file_options(app, options);
  add_device_options(app, options);
  add_comm_timeout(app, options.comm_timeout_s);
  add_step_options(app, training);
  add_data_options(app, options);
  add_checkpoint_options(app, training);
  add_optimizer_options(app, training);
  add_comparison_option(app, training);
  add_check_options(app, options);
  add_trace_option(app, options);
  add_verify_option(app, options);
  add_inference_options(app, options);
  app.add_flag("-q,--quiet", options.quiet, "Print errors only")
      ->group("What to print")
      ->excludes("--verbose")
      ->excludes("--verify");
  app.footer(footer() + exit_codes_help({ExitCode::prediction_outside_limit}));
}

template <typename T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns equal texts for equal numbers, such as "0.001" and "1e-3".
std::string plain_number(const std::string& text) {
  if (const auto whole = parsed<std::int64_t>(text)) return std::to_string(*whole);
  if (const auto whole = parsed<std::uint64_t>(text)) return std::to_string(*whole);
  const std::optional<double> number = parsed<double>(text);
  if (!number) return text;
  std::array<char, 32> shortest{};
  const auto written = std::to_chars(shortest.data(), shortest.data() + shortest.size(), *number);
  return {shortest.data(), written.ptr};
}

// Returns the value in effect. An option that may stand alone has none unless it is given.
std::string value_of(const CLI::Option& option) {
  const bool is_given = option.count() > 0;
  if (!is_given)
    return option.get_expected_min() == 0 ? "" : plain_number(option.get_default_str());
  std::string text;
  for (const std::string& value : option.results()) {
    text += (text.empty() ? "" : " ") + plain_number(value);
  }
  return text;
}

// Lists all options, so that a new one cannot be forgotten, except those that only change what is
// printed.
std::vector<Fact> equal_options(const CLI::App& app) {
  std::vector<Fact> facts;
  for (const CLI::Option* const option : app.get_options()) {
    const std::string name = option->get_name();
    if (name != "--help" && name != "--version" && name != "--verbose" && name != "--quiet") {
      facts.push_back({name, value_of(*option)});
    }
  }
  return facts;
}

std::string command_text(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) text += (i == 0 ? "" : " ") + shell_word(argv[i]);
  return text;
}

// Sets the options that depend on the whole command line.
void complete(Options& options, const CLI::App& app) {
  options.training.graphs = graphs_of(options.graphs);
  if (app.count("--check-gradient") > 0) {
    options.training.gradient_check_period = options.check_period;
  }
  if (const auto steps = parse_index_range(options.traced_steps)) {
    options.training.traced_steps = Range{steps->first, steps->second};
  }
  options.training.augmentation.crops = app.count("--crop") > 0;
  options.chose_backend = app.count("--backend") > 0;
  options.equal = equal_options(app);
}

}  // namespace

std::optional<int> parse_command_line(int argc, char** argv, Options& options) {
  CLI::App app("cnnexec: train a network as a plan says", "cnnexec");
  use_help_text(app);
  suggest_options(app, message_style().columns);
  app.set_version_flag("--version", version_text("cnnexec"), "Print the version");
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_code_of(app, error);
  }
  complete(options, app);
  options.command = command_text(argc, argv);
  return std::nullopt;
}

}  // namespace cnnplan
