// Writes what starts a plan on its ranks: a script for Slurm, or a command.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/commands/input_matcher.hpp"
#include "planner/kernel/device_text.hpp"
#include "planner/launch/batch_script.hpp"
#include "planner/launch/exec_options.hpp"
#include "planner/launch/launch_notes.hpp"
#include "planner/launch/launch_words.hpp"
#include "planner/launch/placement.hpp"

namespace cnnplan {
namespace {

// @throws Error (bad_input) if the user names a platform that the plan was not made from
std::optional<Platform> platform_of(const Plan& plan, const LaunchOptions& options) {
  InputMatcher inputs(plan);
  const auto found = inputs.find(options.platform_file, default_platform_file);
  if (found) return parse_platform(found->text, found->name);
  if (options.platform_file.empty()) return std::nullopt;
  throw Error(ExitCode::bad_input, inputs.problem());
}

Placement chosen_placement(const Plan& plan, const LaunchOptions& options) {
  const std::optional<Platform> platform = platform_of(plan, options);
  Placement placement = placement_of(plan, platform, options.plan_file);
  if (!plan.device_kind && !platform && !options.gpus_per_node) {
    print_note(
        "ranks get no GPUs, since the plan does not say its kind of device and its platform was "
        "not found; name it with --platform");
  }
  if (options.gpus_per_node) placement.gpus_per_node = *options.gpus_per_node;
  if (options.cores_per_rank > 0) placement.cores_per_rank = options.cores_per_rank;
  return placement;
}

// Without a name of the backend, a rank that finds no GPU would compute on cores.
std::vector<std::string> program_words(const LaunchOptions& options, const Placement& placement) {
  std::vector<std::string> words{options.program, options.plan_file};
  words.insert(words.end(), options.words.begin(), options.words.end());
  if (placement.gpus_per_node > 0 && !has_option(words, "--backend")) {
    words.insert(words.end(), {"--backend", std::string(gpu_backend)});
  }
  const bool is_told = has_option(words, "--checkpoint") || has_option(words, "--restart");
  if (options.form == LaunchForm::slurm && trains(words) && !is_told) {
    const std::string& folder = options.checkpoint;
    words.insert(words.end(), {"--checkpoint", folder, "--restart", folder});
  }
  return words;
}

std::string ranks_text(const Placement& placement) {
  const std::string all =
      counted(placement.ranks, "rank") + " on " + counted(placement.nodes(), "node");
  return placement.nodes() == 1
             ? all
             : all + ", " + std::to_string(placement.ranks_per_node) + " on each";
}

// A signal at the start would end each job before it has done a step.
void require_time_before_signal(const JobRequest& request) {
  const std::int64_t limit_s = duration_s(request.time).value_or(0);
  if (limit_s == 0 || request.signal_s + most_early_signal_s < limit_s) return;
  const std::string early = std::to_string(most_early_signal_s);
  const std::int64_t fewer_s = limit_s - most_early_signal_s;
  const bool any_allowed = fewer_s > 1;
  const std::string allowed =
      any_allowed ? "fewer than " + std::to_string(fewer_s) : "none with this --time";
  throw Error(ExitCode::usage,
              "--signal: got " + std::to_string(request.signal_s) +
                  " (seconds); allowed: " + allowed + ", since --time " + request.time + " is " +
                  std::to_string(limit_s) + " s, and Slurm may signal up to " + early +
                  " s early; ranks need time to train before they save their state, so choose a "
                  "longer --time" +
                  (any_allowed ? " or a shorter --signal" : ""));
}

// @throws Error (usage) for a folder with letters that a line of #SBATCH cannot hold
void require_folder_of_job(const std::string& folder) {
  const std::string problem = folder.empty() ? "" : problem_of_job_word(folder);
  if (!problem.empty()) throw Error(ExitCode::usage, "--chdir: " + problem);
}

std::string slurm_text(const Plan& plan, const Placement& placement, const LaunchOptions& options) {
  require_folder_of_job(options.chdir);
  const std::vector<std::string> program = program_words(options, placement);
  const bool saves_state = has_option(program, "--checkpoint") && has_option(program, "--restart");
  JobRequest request = options.job;
  if (request.name.empty()) request.name = plan.network.name();
  request.name = job_name(request.name);
  request.chdir = options.chdir;
  if (saves_state) require_time_before_signal(request);
  return batch_script(placement,
                      request,
                      {.launcher = srun_words(placement, options.mpi_type),
                       .program = program,
                       .saves_state = saves_state,
                       .description = options.plan_file + ": " + ranks_text(placement) + ". " +
                                      neighbours_text(plan, placement.ranks_per_node)});
}

std::string text_of(const Plan& plan, const Placement& placement, const LaunchOptions& options) {
  if (options.form == LaunchForm::slurm) return slurm_text(plan, placement, options);
  std::vector<std::string> words = options.form == LaunchForm::srun
                                       ? srun_words(placement, options.mpi_type, options.chdir)
                                       : mpirun_words(placement, options.hostfile, options.chdir);
  for (std::string& word : program_words(options, placement)) words.push_back(std::move(word));
  return shell_command(words) + '\n';
}

// The nodes read the plan by its name.
void require_named_plan(const LaunchOptions& options) {
  if (options.plan_file != standard_stream) return;
  throw Error(ExitCode::usage, "launch needs a plan file, because cnnexec reads it, too");
}

void require_exec_words(const std::vector<std::string>& words) {
  const std::string problem = problem_of_exec_words(words);
  if (!problem.empty()) throw Error(ExitCode::usage, problem);
}

// Says if the ranks read another plan than this command did, because they run in another folder.
void tell_other_plan(const LaunchOptions& options) {
  const std::filesystem::path there = std::filesystem::path(options.chdir) / options.plan_file;
  std::error_code error;
  if (options.chdir.empty() || std::filesystem::equivalent(there, options.plan_file, error)) return;
  print_note("the ranks read " + there.string() + ", which is not the " + options.plan_file +
             " of this command on this machine");
}

}  // namespace

ExitCode launch_command(const LaunchOptions& options) {
  if (options.form == LaunchForm::none) {
    throw Error(ExitCode::usage, "launch needs one of --slurm, --srun and --mpirun");
  }
  require_exec_words(options.words);
  require_named_plan(options);
  require_plan_file(options.plan_file);
  require_other_file(options.output_file, options.plan_file);
  require_other_file(options.output_file,
                     file_or_default(options.platform_file, default_platform_file));
  OutputFile output(options.output_file);
  const Plan plan = read_plan(options.plan_file);
  const Placement placement = chosen_placement(plan, options);
  output.write(text_of(plan, placement, options));
  tell_other_plan(options);
  const bool is_script = options.form == LaunchForm::slurm;
  if (const std::string text = shared_gpus_text(placement); !text.empty()) print_warning(text);
  for (const std::string& note :
       launch_notes(plan, placement, program_words(options, placement), is_script)) {
    print_note(note);
  }
  if (is_standard_output(options.output_file)) return ExitCode::ok;
  const char* const starter = is_script ? "sbatch " : "bash ";
  print_note("wrote " + options.output_file + ": " + ranks_text(placement) + "; start it with" +
             std::string(command_line) + starter + shell_word(options.output_file));
  return ExitCode::ok;
}

}  // namespace cnnplan
