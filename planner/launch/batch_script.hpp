// Writes a script for Slurm that runs cnnexec on the ranks of a plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/launch/placement.hpp"

namespace cnnplan {

// Slurm may signal the ranks this number of seconds earlier than its option --signal says (man page
// of sbatch).
inline constexpr int most_early_signal_s = 60;

// Says which resources the job asks Slurm for, in addition to nodes and cores. Empty texts leave
// the choice to Slurm.
struct JobRequest {
  std::string name;
  std::string partition{};
  std::string account{};
  std::string time{};   // as sbatch --time takes it
  std::string chdir{};  // folder in which the job runs
  // Slurm signals the ranks this number of seconds before the end, so that they save their state.
  int signal_s = 120;
};

// Describes what the ranks of a job run.
struct JobWork {
  std::vector<std::string> launcher;  // srun with its options
  std::vector<std::string> program;   // cnnexec with its options
  bool saves_state = true;            // the program has --checkpoint and --restart
  std::string description;            // sentences for the top of the script
};

// Returns the script. If the program saves its state, a job that reaches its time limit is queued
// again, and continues there. The texts of `request` have no character that Slurm or a shell would
// change (see problem_of_job_word).
std::string batch_script(const Placement& placement,
                         const JobRequest& request,
                         const JobWork& work);

// Returns a message if a line of #SBATCH cannot hold `text` as the value of an option, else an
// empty text.
std::string problem_of_job_word(const std::string& text);
// Returns a name for a job, in which other characters than those of a job word are replaced.
std::string job_name(std::string text);

// Returns the seconds of a duration of Slurm, such as 90 (minutes), 90:00, 1:30:00, 2-12 or
// 2-12:00:00. Returns nothing for other texts. For Slurm, 0 means that there is no limit.
std::optional<std::int64_t> duration_s(const std::string& text);
// Returns a message if `text` is no duration of Slurm, else an empty text.
std::string problem_of_duration(const std::string& text);

}  // namespace cnnplan
