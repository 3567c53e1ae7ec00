// Writes the lines of the script, and checks the texts that come from users.
#include "planner/launch/batch_script.hpp"

#include <array>
#include <charconv>
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
                      option("chdir", request.chdir) +
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
  return comment("Slurm signals the ranks " + seconds + " s before the time limit, or up to " +
                 std::to_string(most_early_signal_s) +
                 " s earlier. They save their state, and the job is queued again. Its output is "
                 "appended.") +
         "#SBATCH --signal=USR1@" + seconds + "\n#SBATCH --requeue\n#SBATCH --open-mode=append\n";
}

std::string gpu_lines(const Placement& placement) {
  if (placement.gpus_per_node == 0) return {};
  return comment(
      "No cluster with GPUs has run such a script yet. cnnexec -v shows which GPU each rank "
      "takes.");
}

std::string requeue_lines() {
  const std::string preempted = std::to_string(static_cast<int>(ExitCode::preempted));
  return "code=$?\n"
         "# With this exit code, the state is saved and the training is not at its end.\n"
         "if [ \"$code\" -eq " +
         preempted +
         " ]; then\n"
         "  scontrol requeue \"$SLURM_JOB_ID\" ||\n"
         "    echo \"Slurm did not queue job $SLURM_JOB_ID again. Submit this script again to "
         "continue.\" >&2\n"
         "fi\n"
         "exit \"$code\"\n";
}

// Reads digits alone. More than nine of them are no number, so that sums of durations fit.
std::optional<std::int64_t> number_of(std::string_view text) {
  constexpr std::size_t most_digits = 9;
  const bool is_number = !text.empty() && text.size() <= most_digits &&
                         text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!is_number) return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Returns the numbers between colons, or nothing if one of them is no number.
std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (;;) {
    const std::size_t end = text.find(':');
    const std::optional<std::int64_t> number = number_of(text.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string batch_script(const Placement& placement,
                         const JobRequest& request,
                         const JobWork& work) {
  return "#!/bin/bash\n" + comment(work.description) + resource_lines(placement, request) +
         (work.saves_state ? restart_lines(request) : "") + "\n" + gpu_lines(placement) +
         shell_command(work.launcher) + " \\\n  " + shell_command(work.program) + "\n" +
         (work.saves_state ? requeue_lines() : "");
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

// Up to three numbers stand for hours, minutes and seconds. One or two numbers begin with minutes,
// unless a number of days is before them.
std::optional<std::int64_t> duration_s(const std::string& text) {
  constexpr std::array<std::int64_t, 3> units_s{3600, 60, 1};
  constexpr std::int64_t day_s = 86400;
  const std::size_t hyphen = text.find('-');
  const bool has_days = hyphen != std::string::npos;
  const std::optional<std::int64_t> days = has_days ? number_of(text.substr(0, hyphen)) : 0;
  const std::vector<std::int64_t> numbers = numbers_of(has_days ? text.substr(hyphen + 1) : text);
  if (!days || numbers.empty() || numbers.size() > units_s.size()) return std::nullopt;
  const std::size_t first = has_days || numbers.size() == units_s.size() ? 0 : 1;
  std::int64_t sum_s = *days * day_s;
  for (std::size_t i = 0; i < numbers.size(); ++i) sum_s += numbers[i] * units_s[first + i];
  return sum_s;
}

std::string problem_of_duration(const std::string& text) {
  if (duration_s(text)) return {};
  return "'" + text +
         "' is no duration; allowed: minutes, minutes:seconds, hours:minutes:seconds, "
         "days-hours, days-hours:minutes or days-hours:minutes:seconds";
}

}  // namespace cnnplan
