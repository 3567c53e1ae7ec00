// Declares the subcommands of cnnplan and their options, without their command lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/base/error.hpp"
#include "planner/launch/batch_script.hpp"
#include "planner/launch/launch_words.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

struct SolveOptions {
  std::string network_file = "network.json";
  std::string platform_file;  // empty: platform.json if it exists, else assumed figures
  std::string profile_file;   // empty: profile.json if it exists, else estimates
  std::string output_file = "plan.json";
  int ranks = 0;                 // 0: as many as the platform was measured with, else one per core
  std::vector<int> rank_counts;  // as on the command line; a single one is also `ranks`
  int nodes = 0;                 // with ranks_per_node: the platform at this size; 0: as it is
  int ranks_per_node = 0;        // used if `nodes` is not 0
  std::int64_t batch = 8;        // samples of a step, over all ranks
  Precision precision = Precision::fp32;
  std::string input_size;  // "512x512"; empty: as the network says
  BatchNormStatistics statistics = BatchNormStatistics::spatial;
  SearchMethod method = SearchMethod::automatic;
  Recompute recompute = Recompute::where_needed;
  std::string axes = "ncdhw";                   // axes over which layers may be split, besides r
  std::string uniform;                          // "h2": this mesh for all layers; empty: search
  std::optional<AllreduceAlgorithm> allreduce;  // for gradients; empty: the fastest
  std::int64_t bucket_bytes = Plan{}.bucket_bytes;  // gradients that are reduced together
  bool sharded_update = false;                      // as in Plan
  int optimizer_state_bytes = 0;                    // as in Plan
  int sample_blocks = 1;                            // as in Plan
  std::vector<std::string> allow;                   // changes of the training: "multigrid", or none
  MultigridRequest multigrid;                       // used if multigrid is allowed
  bool strict = false;                              // refuse estimated kernels
  bool overlap = false;                             // halos and reductions run during kernels
  // Each text is a change of the machine, as WhatIf reads it. If there are changes, solve
  // prints their effects and writes no plan.
  std::vector<std::string> what_if;
  bool wide = false;                // print every layer and all columns
  bool json = false;                // print the plan file instead
  bool precision_is_given = false;  // by the user, not by default
  std::vector<std::string> words;   // that the user typed after "solve"; notes repeat them
};

struct ImportCommandOptions {
  std::string model_file;
  std::string network_file = "network.json";
  std::string input;                   // dims: "3x512x512"; empty: the model's
  std::string output_name;             // of the output with the main loss; empty: the model's first
  std::string loss = "cross_entropy";  // or "mean_squared_error"
  std::vector<std::string> auxiliary;  // further outputs: "NAME=WEIGHT"
  std::string weights_file;            // to write the model's weights to; empty: none
  bool planning = false;               // as in ImportOptions
};

struct ExplainOptions {
  std::string plan_file = "plan.json";
  std::string layer;          // the name of the only layer to show; empty: all
  bool wide = false;          // print every layer and all columns
  bool json = false;          // print a document instead
  bool sensitivity = false;   // show which figures would change choices, instead of the layers
  bool roofline = false;      // show the least times of kernels, instead of the layers
  std::string platform_file;  // as for solve, for formulas, sensitivity and roofline
  std::string profile_file;   // as for solve, for formulas, sensitivity and roofline
};

// Says how compare prints its result, apart from JSON.
enum class CompareFormat { text, markdown, junit };

struct CompareOptions {
  std::string plan_file = "plan.json";
  std::string run_file = "run.json";
  double max_error = 0.15;                 // of the predicted step time, over the measured one
  std::optional<double> max_memory_error;  // in the same way, of the memory of a rank; none: any
  CompareFormat format = CompareFormat::text;
  std::string layer;  // the name of the only layer to show; empty: all
  bool wide = false;  // print every layer
  bool json = false;  // print a document instead
};

struct ReportOptions {
  std::vector<std::string> files{"plan.json"};  // plans and runs, in any order
  std::string output_file = "report.html";
  bool json = false;          // print the document instead
  std::string platform_file;  // as for solve, for timelines and rivals
  std::string profile_file;   // as for solve, for timelines and rivals
  std::string version;        // what --version prints
};

struct SimulateOptions {
  std::string plan_file = "plan.json";
  std::string platform_file;          // as for solve
  std::string profile_file;           // as for solve
  std::string folder = "simulation";  // for the files of SimGrid
  std::optional<double> max_error;    // of the predicted step, over the simulated one; absent: any
  bool real_bytes = false;            // messages have their bytes (TraceOptions in simulate/)
  bool by_messages = false;           // replays collectives as if none of them had been measured
  bool json = false;                  // print a document instead
};

struct TraceCommandOptions {
  std::vector<std::string> files;  // a plan, a run, or one of each; empty: plan.json
  std::string output_file = "trace.json.gz";
  std::string ranks;          // "0:8": ranks 0 to 7; empty: all that a trace shows
  std::string platform_file;  // as for solve
  std::string profile_file;   // as for solve
};

enum class LaunchForm { none, slurm, srun, mpirun };

struct LaunchOptions {
  std::string plan_file = "plan.json";
  std::string platform_file;  // as for solve
  LaunchForm form = LaunchForm::none;
  std::string output_file = "-";            // of the script or command
  std::string program = "cnnexec";          // as the nodes find it
  std::vector<std::string> words;           // options of the program
  int cores_per_rank = 0;                   // 0: as placement_of() says
  std::optional<int> gpus_per_node;         // absent: one for each rank of a plan for GPUs
  std::string chdir;                        // folder in which the ranks run; empty: the current one
  std::string hostfile;                     // of mpirun
  std::string mpi_type = default_mpi_type;  // of srun
  JobRequest job;                           // of Slurm; an empty name: that of the network
  std::string checkpoint = "state";         // folder of a job's checkpoint, unless `words` name one
};

struct CheckOptions {
  std::vector<std::string> files;
  bool json = false;  // print a document instead
};

// Each command prints data to stdout and messages to stderr, and throws the errors of error.hpp.

// Searches for the fastest plan, prints a summary of it, and writes it to output_file.
// @throws InfeasibleError if no plan fits into the memory of the ranks
ExitCode solve_command(const SolveOptions& options);
// Plans for each of several rank_counts, and prints a table. If output_file is not the default, it
// names a folder, in which each plan becomes a file plan-RANKS.json. Otherwise, no plan is written.
// Returns infeasible if no plan fits on any number of ranks.
ExitCode scaling_command(const SolveOptions& options);
// Writes an ONNX model as a network. For weights, it replaces this process by cnnplan-weights.
// @throws UnmappedNodes for nodes that no layer expresses, EnvironmentError in a build without
// ONNX, or when cnnplan-weights is missing
ExitCode import_command(const ImportCommandOptions& options);
// Prints how a plan splits its layers and why, the formulas of the times of one layer, the figures
// on which the plan depends, or how close its kernels come to the limits of the device.
ExitCode explain_command(const ExplainOptions& options);
// Writes a page that shows plans and their runs, or prints its document.
// @throws EnvironmentError in a build without the page
ExitCode report_command(const ReportOptions& options);
// Prints the predicted times of a plan next to the measured times of a run. Returns
// prediction_outside_limit if the error of the predicted step is above max_error, or that of the
// predicted memory is above max_memory_error. @throws InputError if memory has a limit, but the
// plan or the run does not know its memory
ExitCode compare_command(const CompareOptions& options);
// Replays a step of the plan in SimGrid. Returns prediction_outside_limit if the predicted step
// differs from the simulated one by more than max_error, as a share of the simulated one.
// @throws EnvironmentError without SimGrid, after the files are written
ExitCode simulate_command(const SimulateOptions& options);
// Writes a trace of the predicted step of a plan, of the traced steps of a run, or of both.
// @throws InfeasibleError for a trace of more than most_trace_bytes
ExitCode trace_command(const TraceCommandOptions& options);
// Writes a script for Slurm, or a command for srun or mpirun, which runs the plan on its ranks.
// @throws InputError if the ranks do not fill the nodes for which the plan was made
ExitCode launch_command(const LaunchOptions& options);
// Reads each file as the kind that its "schema" names, or as an ONNX model. It prints whether the
// file is valid, and if not, why. The parts of a checkpoint are read, too. Returns the exit code of
// the first invalid file.
ExitCode check_command(const CheckOptions& options);
// Prints what this machine and this build have and lack, as a document with `as_json`. `version` is
// the text of --version. Returns environment if something is missing.
ExitCode doctor_command(bool as_json, const std::string& version);
// Replaces this process by cnnplan-profile, which lies next to this program.
// @throws EnvironmentError when it is missing
[[noreturn]] void profile_command(const std::vector<std::string>& arguments);

}  // namespace cnnplan
