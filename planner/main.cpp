// Declares the command line of cnnplan, and runs the command that it names.
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "planner/base/cli_one_of.hpp"
#include "planner/base/error.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/import_cli.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr const char* overview = R"(FILES
  Files lie in the current directory unless an option names another place: platform.json (links),
  profile.json (kernel times), plan.json (the strategy), run.json (what cnnexec measured).

EXAMPLES
  mpirun -n 2 cnnplan profile --links
  mpirun -n 2 cnnplan profile resnet50.json --ranks 2 --batch 4
  cnnplan solve resnet50.json --ranks 2 --batch 4
  cnnplan solve resnet50.onnx --ranks 2 --batch 4     a model that PyTorch exported
  mpirun -n 2 cnnexec --strategy plan.json --steps 20
  cnnplan compare plan.json run.json --max-error 0.15
  cnnplan simulate plan.json --max-error 0.05

)";

constexpr const char* solve_help = R"(EXAMPLES
  cnnplan solve network.json                          defaults: see above
  cnnplan solve resnet50.json --ranks 16 --batch 64
  cnnplan solve mesh-1k.json --input 512x512 --batch 1 --ranks 2
  cnnplan solve model.onnx --input 3x512x512          a model from PyTorch at another size
  cnnplan solve residual-256.json --ranks 8 --allow multigrid
  cnnplan solve resnet50.json --uniform h2            no search: every layer split by height
  cnnplan solve resnet50.json --what-if level.beta_s_per_byte*0.5
                                                      a machine with faster links
  cnnplan solve resnet50.json --what-if kernel.convolution*0.8
                                                      faster kernels; needs a profile

)";

constexpr const char* explain_help = R"(EXAMPLES
  cnnplan explain                                     plan.json, one row per layer
  cnnplan explain plan.json --layer conv1             every operation of one layer; its price is
                                                      a formula if platform.json and profile.json
                                                      are the files that the plan was made from
  cnnplan explain plan.json --sensitivity             how much faster or slower a link or kernel
                                                      must be for another split to win; with
                                                      --layer conv1, for another split of conv1

)";

constexpr const char* compare_help = R"(EXAMPLES
  cnnplan compare plan.json run.json --max-error 0.10 || echo "the prediction is off"

In CI, plan once, run the plan with cnnexec, and compare. The exit code is 6 when the predicted
step time is further from the measured one than --max-error (a fraction: 0.15 is 15 %).

)";

constexpr const char* simulate_help = R"(EXAMPLES
  cnnplan simulate                                    plan.json, with the platform.json and
                                                      profile.json that it was solved with
  cnnplan simulate plan.json --max-error 0.05 -o /tmp/simulation

The schedules of all ranks are written as traces, which SimGrid's smpirun replays. It works out by
itself which rank waits for which, and which messages share a link. Kernels take their predicted
times. Without SimGrid, the traces are written and not replayed, and the exit code is 5.

)";

const std::map<std::string, SearchMethod> method_names{
    {"automatic", SearchMethod::automatic},
    {"shortest_path", SearchMethod::shortest_path},
    {"longest_path", SearchMethod::longest_path_first}};

std::string exit_codes() {
  return exit_codes_help({ExitCode::wrong_result, ExitCode::too_sensitive, ExitCode::preempted});
}

const std::map<std::string, Recompute> recompute_names{{"never", Recompute::never},
                                                       {"where_needed", Recompute::where_needed},
                                                       {"always", Recompute::always}};

void add_training_options(CLI::App& solve, SolveOptions& options) {
  solve
      .add_option(
          "--batch-norm",
          options.statistics,
          "Ranks that share a batch norm's statistics: local (none), spatial (of a sample), global")
      ->transform(one_of(names_of<BatchNormStatistics>()))
      ->default_str("spatial");
  solve
      .add_option("--allreduce",
                  options.allreduce,
                  "Algorithm for all gradients; default: the fastest for each size by the "
                  "platform's figures")
      ->transform(one_of(names_of<AllreduceAlgorithm>()));
  solve
      .add_option("--bucket-bytes",
                  options.bucket_bytes,
                  "Reduce gradients once they have this many bytes; 1: one reduction per layer")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  solve.add_flag(
      "--sharded-update",
      options.sharded_update,
      "Every rank updates only its shard of the weights, and stores momentum for this shard "
      "alone; the other weights are gathered when the next step begins");
  solve
      .add_option("--reproducible",
                  options.sample_blocks,
                  "Sum over samples in this many blocks of the mini-batch, a power of two. Any "
                  "number of ranks that divides it computes the same bits. Only samples are split; "
                  "batch norms are global")
      ->type_name("BLOCKS")
      ->check(CLI::Range(2, max_ranks))
      ->excludes("--batch-norm")
      ->excludes("--sharded-update");
  solve.add_flag("--overlap",
                 options.overlap,
                 "Halo exchanges and reductions run while kernels do; for backends on GPUs");
  solve.add_flag("--strict", options.strict, "Refuse a plan with estimated kernels (exit code 3)");
}

void add_search_options(CLI::App& solve, SolveOptions& options) {
  solve.add_option("--search", options.method, "Method of the search for plans")
      ->transform(one_of(method_names))
      ->default_str("automatic")
      ->excludes("--reproducible");
  solve
      .add_option("--recompute",
                  options.recompute,
                  "Compute outputs of batch norms again in backpropagation instead of keeping "
                  "them: never, where_needed (where the fastest plan does not fit), always")
      ->transform(one_of(recompute_names))
      ->default_str("where_needed");
  solve
      .add_option("--axes",
                  options.axes,
                  "Axes over which layers may be split, e.g. nhw: samples n, channels c, depth d, "
                  "height h, width w")
      ->capture_default_str()
      ->excludes("--reproducible");
  solve
      .add_option(
          "--uniform", options.uniform, "No search: take this mesh for every layer, e.g. n2 or h2")
      ->excludes("--reproducible");
  solve
      .add_option("--what-if",
                  options.what_if,
                  "Also plan for a machine with a changed figure, e.g. level.beta_s_per_byte*0.5, "
                  "and print what changes; no plan is written")
      ->type_name("FIGURE*NUMBER")
      ->allow_extra_args(false);
}

// Adds the settings of multigrid that the search chooses itself unless they are given.
void add_chain_settings(CLI::App& solve, CLI::Option* allow, MultigridRequest& request) {
  solve
      .add_option(
          "--coarsening",
          request.coarsening,
          "Coarsening of multigrid; default: the search tries powers of two that leave at least "
          "8 coarse steps, and factors that divide the layers more evenly")
      ->check(CLI::Range(2, max_coarsening))
      ->needs(allow);
  solve.add_option("--levels", request.levels, "Levels of multigrid; default: 2 or 3")
      ->check(CLI::Range(2, max_levels))
      ->needs(allow);
  solve
      .add_option("--concurrency",
                  request.concurrency,
                  "Groups of a rank's layers that run at the same time, on threads of a CPU or "
                  "streams of a GPU; default: as many as the profile has kernels for, if faster")
      ->check(CLI::Range(1, max_concurrency))
      ->needs(allow);
}

void add_multigrid_options(CLI::App& solve, SolveOptions& options) {
  MultigridRequest& request = options.multigrid;
  CLI::Option* const allow =
      solve
          .add_option("--allow",
                      options.allow,
                      "multigrid: residual chains may be split by layers and run by nonlinear "
                      "multigrid. Its results are close, not equal, to results of the layers in "
                      "order")
          ->check(CLI::IsMember({"multigrid"}))
          ->allow_extra_args(false)
          ->excludes("--uniform")
          ->excludes("--reproducible");
  solve
      .add_option("--cycles",
                  request.cycles,
                  "Cycles of multigrid; 0: the layers run in order, each on the ranks that hold it")
      ->check(CLI::Range(0, max_cycles))
      ->capture_default_str()
      ->needs(allow);
  solve.add_option("--relaxation", request.relaxation, "Relaxation of multigrid: f or fcf")
      ->transform(one_of(names_of<Relaxation>()))
      ->default_str("f")
      ->needs(allow);
  solve
      .add_option("--first-guess",
                  request.first_guess,
                  "First guess of multigrid: coarse (from the coarsest level) or previous (the "
                  "states with which the previous step ended)")
      ->transform(one_of(names_of<FirstGuess>()))
      ->default_str("coarse")
      ->needs(allow);
  solve
      .add_option("--partitions",
                  request.partitions,
                  "Split chains by layers into this many parts, even if other plans are faster")
      ->check(CLI::Range(1, max_ranks))
      ->needs(allow);
  add_chain_settings(solve, allow, request);
}

void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App* solve =
      app.add_subcommand("solve", "Find the fastest way to split a network over ranks");
  solve->add_option("network", options.network_file, "Network file or ONNX model")
      ->capture_default_str();
  solve->add_option("-p,--platform",
                    options.platform_file,
                    "Links; default: platform.json if it exists, else assumed figures");
  solve->add_option("-k,--profile",
                    options.profile_file,
                    "Kernel times; default: profile.json if it exists, else estimates");
  solve
      ->add_option("-r,--ranks",
                   options.ranks,
                   "Ranks; default: as many as the platform was measured with, else one per core")
      ->check(CLI::Range(1, max_ranks));
  solve->add_option("-b,--batch", options.batch, "Samples per step, over all ranks")
      ->check(CLI::Range(std::int64_t{1}, max_batch))
      ->capture_default_str();
  solve
      ->add_option(
          "--precision",
          options.precision,
          "fp32, fp64, tf32 (fp32 with rounded factors), bf16 or fp16 (parameters in fp32)")
      ->transform(one_of(names_of<Precision>()))
      ->default_str("fp32");
  solve->add_option("-i,--input",
                    options.input_size,
                    "Image size HxW or DxHxW, for ONNX models also CxHxW; default: the network's");
  add_training_options(*solve, options);
  add_search_options(*solve, options);
  add_multigrid_options(*solve, options);
  solve->add_option("-o,--output", options.output_file, "Plan file")->capture_default_str();
  solve->footer(solve_help + exit_codes());
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain = app.add_subcommand("explain", "Show the choice and its cost for every layer");
  explain->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  explain->add_option("-l,--layer",
                      options.layer,
                      "Show every operation of this layer, and its price as a formula");
  explain->add_flag("-s,--sensitivity",
                    options.sensitivity,
                    "Show which figures decide the closest choices, or the choice of --layer");
  explain->add_option("-p,--platform",
                      options.platform_file,
                      "Links that the plan was made from; default: as for solve");
  explain->add_option("-k,--profile",
                      options.profile_file,
                      "Kernel times that the plan was made from; default: as for solve");
  explain->footer(explain_help + exit_codes());
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Compare predicted with measured times, operation by operation");
  compare->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  compare->add_option("run", options.run_file, "Run file")->capture_default_str();
  compare
      ->add_option(
          "-e,--max-error", options.max_error, "Allowed error of the step time, a fraction")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  compare->footer(compare_help + exit_codes());
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* simulate =
      app.add_subcommand("simulate", "Check the predicted step time of a plan with SimGrid");
  simulate->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  simulate->add_option("-p,--platform", options.platform_file, "Links; default: as for solve");
  simulate->add_option("-k,--profile", options.profile_file, "Kernel times; default: as for solve");
  simulate->add_option("-o,--output", options.folder, "Folder of the traces")
      ->capture_default_str();
  simulate
      ->add_option("-e,--max-error",
                   options.max_error,
                   "Allowed error of the predicted step time, a fraction; default: any")
      ->check(CLI::NonNegativeNumber);
  simulate->add_flag("--real-bytes",
                     options.real_bytes,
                     "Send messages of their real sizes; by default, of the size that takes their "
                     "time on a link with one latency and one bandwidth");
  simulate->add_flag(
      "--by-messages",
      options.by_messages,
      "Replay every sum and gather message by message over the links, as if none had "
      "been measured as a whole; by default, measured ones take their measured time");
  simulate->footer(simulate_help + exit_codes());
}

// Returns a message that lists the commands, because CLI11 only says that one is missing. The
// message is empty if the command is known.
std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return {};
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return "unknown command '" + word + "'; the commands are " + names;
}

// Returns an exit code if the program ends here: after --help, --version or an error.
std::optional<ExitCode> parse(CLI::App& app, int argc, char** argv) {
  const std::string problem =
      argc > 1 && argv[1][0] != '-' ? unknown_command(app, argv[1]) : std::string();
  if (!problem.empty()) {
    std::cerr << "cnnplan: " << problem << '\n';
    return ExitCode::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  return std::nullopt;
}

ExitCode run(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "profile") {
    profile_command(std::vector<std::string>(argv + 2, argv + argc));
  }
  CLI::App app("cnnplan: plan how to train a convolutional network on many ranks", "cnnplan");
  app.set_version_flag("--version", CNNPLAN_VERSION);
  app.require_subcommand(1);
  app.footer(overview + exit_codes());
  app.add_subcommand("profile",
                     "Time the kernels and links of this machine (cnnplan profile --help)");
  SolveOptions solve_options;
  ImportCommandOptions import_options;
  ExplainOptions explain_options;
  CompareOptions compare_options;
  SimulateOptions simulate_options;
  std::vector<std::string> files;
  add_solve(app, solve_options);
  add_import(app, import_options, exit_codes());
  add_explain(app, explain_options);
  add_compare(app, compare_options);
  add_simulate(app, simulate_options);
  CLI::App* check = app.add_subcommand("check", "Check files against their schema");
  check->add_option("files", files, "JSON files of any kind, ONNX models")->required();
  if (const std::optional<ExitCode> code = parse(app, argc, argv)) return *code;
  const auto command = [&] {
    if (app.got_subcommand("solve")) return solve_command(solve_options);
    if (app.got_subcommand("import")) return import_command(import_options);
    if (app.got_subcommand("explain")) return explain_command(explain_options);
    if (app.got_subcommand("compare")) return compare_command(compare_options);
    if (app.got_subcommand("simulate")) return simulate_command(simulate_options);
    return check_command(files);
  };
  const ExitCode code = command();
  if (!std::cout.flush()) throw IoError("standard output: cannot write all of it");
  return code;
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  cnnplan::ExitCode code = cnnplan::ExitCode::internal;
  try {
    code = cnnplan::run(argc, argv);
  } catch (const cnnplan::Error& error) {
    std::cerr << "cnnplan: " << error.what() << '\n';
    code = error.exit_code();
  } catch (const std::bad_alloc&) {
    std::cerr << "cnnplan: memory ran out\n";
    code = cnnplan::ExitCode::infeasible;
  } catch (const std::exception& error) {
    std::cerr << "cnnplan: internal error: " << error.what() << '\n';
  }
  return static_cast<int>(code);
}
