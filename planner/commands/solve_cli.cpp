// Declares the options and the help of cnnplan solve.
#include "planner/commands/solve_cli.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "planner/base/shipped_file.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/one_of.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

const std::map<std::string, SearchMethod> method_names{
    {"automatic", SearchMethod::automatic},
    {"shortest_path", SearchMethod::shortest_path},
    {"longest_path", SearchMethod::longest_path_first}};

const std::map<std::string, Recompute> recompute_names{{"never", Recompute::never},
                                                       {"where_needed", Recompute::where_needed},
                                                       {"always", Recompute::always}};

std::string help() {
  return examples_text({
      {"cnnplan solve network.json", "defaults: see above"},
      {"cnnplan solve resnet50 --ranks 16 --batch 64", ""},
      {"cnnplan solve resnet50 --ranks 1,2,4,8 -o plans", "how the step scales"},
      {"cnnplan solve mesh-1k --input 512x512 --batch 1 --ranks 2", ""},
      {"cnnplan solve model.onnx --input 3x512x512", "a PyTorch model at another size"},
      {"cnnplan solve residual-256 --ranks 8 --allow multigrid", ""},
      {"cnnplan solve resnet50 --uniform h2", "no search: every layer split by height"},
      {"cnnplan solve resnet50 --what-if level.beta_s_per_byte*0.5", "faster links"},
      {"cnnplan solve resnet50 --what-if kernel.convolution*0.8",
       "faster kernels; needs a profile"},
  });
}

std::string listed(std::string_view folder) {
  return CLI::detail::join(shipped_names(folder), ", ");
}

// Lists the files that can be given by name. An installation without them has no such section.
std::string shipped_help() {
  if (shipped_names(shipped_networks).empty()) return "";
  return section_text("NAMES",
                      "Networks that ship: " + listed(shipped_networks) +
                          ".\nPlatforms that ship: " + listed(shipped_platforms) + '.');
}

void add_files(CLI::App& solve, SolveOptions& options) {
  solve.add_option("network", options.network_file, "Network file or ONNX model")
      ->capture_default_str();
  solve.option_defaults()->group("Files");
  solve
      .add_option("-p,--platform",
                  options.platform_file,
                  "Links; default: platform.json if it exists, else assumed figures")
      ->type_name("FILE");
  solve
      .add_option("-k,--profile",
                  options.profile_file,
                  "Kernel times; default: profile.json if it exists, else estimates")
      ->type_name("FILE");
  solve
      .add_option("-o,--output",
                  options.output_file,
                  "Plan file; with several --ranks, a folder, else no plans are written")
      ->type_name("FILE")
      ->capture_default_str();
}

void add_size_options(CLI::App& solve, SolveOptions& options) {
  solve.option_defaults()->group("Size of a step");
  solve
      .add_option("-r,--ranks",
                  options.rank_counts,
                  "Ranks; default: as many as the platform was measured with, else one per core. "
                  "Several numbers, such as 1,2,4, print how the step scales")
      ->type_name("COUNT[,COUNT]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, max_ranks));
  CLI::Option* const nodes = solve.add_option(
      "--nodes", options.nodes, "Plan for this many nodes of the platform, instead of --ranks");
  CLI::Option* const ranks_per_node = solve.add_option(
      "--ranks-per-node",
      options.ranks_per_node,
      "Ranks of each node. Only a platform with nominal figures takes another number than its own; "
      "solve then writes this platform next to the plan");
  for (CLI::Option* const option : {nodes, ranks_per_node}) {
    option->check(CLI::Range(1, max_ranks))->excludes(solve.get_option("--ranks"));
  }
  nodes->needs(ranks_per_node);
  ranks_per_node->needs(nodes);
  solve.add_option("-b,--batch", options.batch, "Samples per step, over all ranks")
      ->check(CLI::Range(std::int64_t{1}, max_batch))
      ->capture_default_str();
  solve
      .add_option("--precision",
                  options.precision,
                  "fp32, fp64, tf32 (fp32 with rounded factors), bf16 or fp16 (parameters in fp32)")
      ->transform(one_of(names_of<Precision>()))
      ->default_str("fp32");
  solve
      .add_option("-i,--input",
                  options.input_size,
                  "Image size HxW or DxHxW, for ONNX models also CxHxW; default: the network's")
      ->type_name("DIMS");
}

void add_reduction_options(CLI::App& solve, SolveOptions& options) {
  solve.option_defaults()->group("Batch norms, gradients and updates");
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
      ->type_name("BYTES")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
}

void add_update_options(CLI::App& solve, SolveOptions& options) {
  solve.add_flag(
      "--sharded-update",
      options.sharded_update,
      "Every rank updates only its shard of the weights, and stores momentum for this shard "
      "alone; the other weights are gathered when the next step begins");
  solve
      .add_option(
          "--optimizer-state-bytes",
          options.optimizer_state_bytes,
          "Bytes of optimizer state for each parameter in the memory of a rank: 8 for Adam; "
          "default: the momentum of SGD. Times do not change, and cnnexec trains with SGD")
      ->type_name("BYTES")
      ->check(CLI::Range(1, max_optimizer_state_bytes));
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
}

void add_search_options(CLI::App& solve, SolveOptions& options) {
  solve.option_defaults()->group("Search");
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
      ->type_name("AXES")
      ->capture_default_str()
      ->excludes("--reproducible");
  solve
      .add_option(
          "--uniform", options.uniform, "No search: take this mesh for every layer, e.g. n2 or h2")
      ->type_name("MESH")
      ->excludes("--reproducible");
  solve
      .add_option("--what-if",
                  options.what_if,
                  "Also plan for a machine with a changed figure, e.g. level.beta_s_per_byte*0.5, "
                  "and print what changes; no plan is written")
      ->type_name("FIGURE*NUMBER")
      ->allow_extra_args(false);
  solve.add_flag("--strict", options.strict, "Refuse a plan with estimated kernels (exit code 3)");
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
          ->type_name("METHOD")
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

}  // namespace

void add_solve(CLI::App& app, SolveOptions& options, const std::string& exit_codes) {
  CLI::App* solve =
      app.add_subcommand("solve", "Find the fastest way to split a network over ranks");
  solve->group("Commands");
  add_files(*solve, options);
  add_size_options(*solve, options);
  add_reduction_options(*solve, options);
  add_update_options(*solve, options);
  add_search_options(*solve, options);
  solve->option_defaults()->group("Multigrid over layers");
  add_multigrid_options(*solve, options);
  solve->add_flag("--wide", options.wide, "Print every layer and all columns")
      ->group("What to print");
  solve->add_flag("--json", options.json, "Print the plan file instead")
      ->group("What to print")
      ->excludes("--wide", "--what-if");
  solve->footer(help() + shipped_help() + exit_codes);
  solve->callback([solve, &options] {
    options.precision_is_given = solve->get_option("--precision")->count() > 0;
  });
}

}  // namespace cnnplan
