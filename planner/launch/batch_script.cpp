// Writes the lines of the script, and checks the texts that come from users.
#include "planner/launch/batch_script.hpp"

#include <cstddef>
#include <string_view>

#include "planner/base/exit_code.hpp"
#include "planner/base/message.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/launch/launch_words.hpp"

namespace cnnplan {
namespace {

// True for a text that a shell takes as it is, and that is not empty.
bool is_plain(const std::string& text) {
  return shell_word(text) == text;
}

std::string comment(const std::string& text) {
  constexpr std::size_t columns = 78;
  std::string lines;
  for (const std::string& line : wrapped(text, columns)) lines += "# " + line + "\n";
  return lines;
}

std::string option(const std::string& name, const std::string& value) {
  return value.empty() ? "" : "#SBATCH --" + name + "=" + value + "\n";
}

std::string resource_lines(const Placement& placement, const JobRequest& request) {
  std::string lines = option("job-name", request.name) + option("partition", request.partition) +
                      option("account", request.account) + option("time", request.time) +
                      option("nodes", std::to_string(placement.nodes())) +
                      option("ntasks", std::to_string(placement.ranks)) +
                      option("ntasks-per-node", std::to_string(placement.ranks_per_node)) +
                      option("cpus-per-task", std::to_string(placement.cores_per_rank));
  if (placement.gpus_per_node > 0) {
    lines += option("gpus-per-node", std::to_string(placement.gpus_per_node));
  }
  return lines;
}

// srun passes the signal to the ranks. The shell of the script does not get it.
std::string restart_lines(const JobRequest& request) {
  const std::string seconds = std::to_string(request.signal_s);
  return comment("Slurm signals the ranks " + seconds +
                 " s before the time limit. They save their state, and the job is queued again. "
                 "Its output is appended.") +
         "#SBATCH --signal=USR1@" + seconds + "\n#SBATCH --requeue\n#SBATCH --open-mode=append\n";
}

std::string requeue_lines() {
  const std::string preempted = std::to_string(static_cast<int>(ExitCode::preempted));
  return "code=$?\n"
         "# With this exit code, the state is saved and the training is not at its end.\n"
         "if [ \"$code\" -eq " +
         preempted +
         " ]; then\n"
         "  scontrol requeue \"$SLURM_JOB_ID\"\n"
         "fi\n"
         "exit \"$code\"\n";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Slurm takes up to three numbers with colons between them, after a number of days and a hyphen.
bool is_duration(std::string_view text) {
  constexpr int most_numbers = 3;
  if (const std::size_t days = text.find('-'); days != std::string_view::npos) {
    if (!is_number(text.substr(0, days))) return false;
    text.remove_prefix(days + 1);
  }
  for (int i = 0; i < most_numbers; ++i) {
    const std::size_t end = text.find(':');
    if (!is_number(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace

std::string batch_script(const Placement& placement,
                         const JobRequest& request,
                         const JobWork& work) {
  return "#!/bin/bash\n" + comment(work.description) + resource_lines(placement, request) +
         (work.saves_state ? restart_lines(request) : "") + "\n" + shell_command(work.launcher) +
         " \\\n  " + shell_command(work.program) + "\n" + (work.saves_state ? requeue_lines() : "");
}

std::string problem_of_job_word(const std::string& text) {
  if (is_plain(text)) return {};
  return "'" + text +
         "' is no value for a line of #SBATCH; allowed: letters, digits and -_./,=:+@%";
}

std::string job_name(std::string text) {
  for (char& letter : text) {
    if (!is_plain(std::string(1, letter))) letter = '_';
  }
  return text;
}

std::string problem_of_duration(const std::string& text) {
  if (is_duration(text)) return {};
  return "'" + text +
         "' is no duration; allowed: minutes, minutes:seconds, hours:minutes:seconds, "
         "days-hours, days-hours:minutes or days-hours:minutes:seconds";
}

}  // namespace cnnplan
