// Writes what starts a plan on its ranks: a script for Slurm, or a command.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
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
#include "planner/launch/batch_script.hpp"
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
  if (plan.device.empty() && !platform && !options.gpus_per_node) {
    print_note(
        "ranks get no GPUs, since the plan names no device and its platform was not found; "
        "name it with --platform");
  }
  if (options.gpus_per_node) placement.gpus_per_node = *options.gpus_per_node;
  if (options.cores_per_rank > 0) placement.cores_per_rank = options.cores_per_rank;
  return placement;
}

// True if one of the words is the option, as in "--data train.h5" or "--data=train.h5".
bool has_option(const std::vector<std::string>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == name || word.starts_with(name + '=');
  });
}

// True if the program trains, so that it has a state.
bool trains(const std::vector<std::string>& words) {
  return !has_option(words, "--verify") && !has_option(words, "--infer");
}

std::vector<std::string> program_words(const LaunchOptions& options) {
  std::vector<std::string> words{options.program, options.plan_file};
  words.insert(words.end(), options.words.begin(), options.words.end());
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

std::string slurm_text(const Plan& plan, const Placement& placement, const LaunchOptions& options) {
  const std::vector<std::string> program = program_words(options);
  const std::string name = options.job_name.empty() ? plan.network.name() : options.job_name;
  const JobRequest request{.name = job_name(name),
                           .partition = options.partition,
                           .account = options.account,
                           .time = options.time,
                           .signal_s = options.signal_s};
  return batch_script(
      placement,
      request,
      {.launcher = srun_words(placement, options.mpi_type),
       .program = program,
       .saves_state = has_option(program, "--checkpoint") && has_option(program, "--restart"),
       .description = options.plan_file + ": " + ranks_text(placement) + ". " +
                      neighbours_text(plan, placement.ranks_per_node)});
}

std::string text_of(const Plan& plan, const Placement& placement, const LaunchOptions& options) {
  if (options.form == LaunchForm::slurm) return slurm_text(plan, placement, options);
  std::vector<std::string> words = options.form == LaunchForm::srun
                                       ? srun_words(placement, options.mpi_type)
                                       : mpirun_words(placement, options.hostfile);
  for (std::string& word : program_words(options)) words.push_back(std::move(word));
  return shell_command(words) + '\n';
}

// The nodes read the plan by its name.
void require_named_plan(const LaunchOptions& options) {
  if (options.plan_file != standard_stream) return;
  throw Error(ExitCode::usage, "launch needs a plan file, because cnnexec reads it, too");
}

}  // namespace

ExitCode launch_command(const LaunchOptions& options) {
  if (options.form == LaunchForm::none) {
    throw Error(ExitCode::usage, "launch needs one of --slurm, --srun and --mpirun");
  }
  require_named_plan(options);
  require_plan_file(options.plan_file);
  require_other_file(options.output_file, options.plan_file);
  require_other_file(options.output_file,
                     file_or_default(options.platform_file, default_platform_file));
  OutputFile output(options.output_file);
  const Plan plan = read_plan(options.plan_file);
  const Placement placement = chosen_placement(plan, options);
  output.write(text_of(plan, placement, options));
  if (is_standard_output(options.output_file)) return ExitCode::ok;
  const char* const starter = options.form == LaunchForm::slurm ? "sbatch " : "bash ";
  print_note("wrote " + options.output_file + ": " + ranks_text(placement) + "; start it with" +
             std::string(command_line) + starter + shell_word(options.output_file));
  return ExitCode::ok;
}

}  // namespace cnnplan
