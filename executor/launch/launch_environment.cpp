// Reads the variables of Open MPI, Slurm and PMI.
#include "executor/launch/launch_environment.hpp"

#include <charconv>
#include <string_view>

#include "planner/base/message.hpp"
#include "planner/launch/launch_words.hpp"

namespace cnnplan {
namespace {

// Returns the number that the text begins with, or 1 if this is no positive number.
int count_of(const char* text) {
  const std::string_view digits = text == nullptr ? "" : text;
  int count = 1;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count < 1 ? 1 : count;
}

std::string started_text(const LaunchEnvironment& launch) {
  const std::string name = launch.launcher == Launcher::srun     ? "srun"
                           : launch.launcher == Launcher::mpirun ? "mpirun"
                                                                 : "the launcher";
  return name + " started " + std::to_string(launch.processes) + " processes";
}

std::string srun_line(int processes) {
  return std::string(command_line) + "srun --mpi=" + default_mpi_type + " -n " +
         std::to_string(processes);
}

}  // namespace

LaunchEnvironment launch_environment(const std::function<const char*(const char*)>& variable) {
  const auto has = [&](const char* name) { return variable(name) != nullptr; };
  LaunchEnvironment launch{.has_pmix = has("PMIX_RANK"),
                           .has_pmi = has("PMI_RANK") || has("PMI_FD"),
                           .is_in_a_job = has("SLURM_JOB_ID")};
  // mpirun in a job starts its ranks by srun on other nodes, so they have the variables of both.
  if (has("OMPI_COMM_WORLD_SIZE")) {
    launch.launcher = Launcher::mpirun;
    launch.processes = count_of(variable("OMPI_COMM_WORLD_SIZE"));
  } else if (has("SLURM_STEP_NUM_TASKS")) {
    launch.launcher = Launcher::srun;
    launch.processes = count_of(variable("SLURM_STEP_NUM_TASKS"));
  } else if (has("PMI_SIZE")) {
    launch.launcher = Launcher::other;
    launch.processes = count_of(variable("PMI_SIZE"));
  }
  return launch;
}

std::string unconnected_problem(const LaunchEnvironment& launch) {
  const bool is_srun = launch.launcher == Launcher::srun && launch.processes > 1;
  if (!is_srun || launch.has_pmix || launch.has_pmi) return {};
  return started_text(launch) +
         " without PMIx, by which MPI finds the other ranks: start them with" +
         srun_line(launch.processes);
}

std::string old_pmi_note(const LaunchEnvironment& launch) {
  if (launch.launcher != Launcher::srun || launch.has_pmix || !launch.has_pmi) return {};
  return "srun offers an older PMI than PMIx; if MPI does not start, start the ranks with" +
         srun_line(launch.processes);
}

std::string lone_rank_problem(const LaunchEnvironment& launch, int ranks) {
  if (ranks != 1 || launch.processes == 1) return {};
  const std::string problem =
      started_text(launch) + ", but MPI has one rank in each, so no rank finds the others: ";
  if (launch.launcher == Launcher::srun) {
    return problem + "start them with" + srun_line(launch.processes);
  }
  return problem + "start them with mpirun of the MPI that cnnplan doctor names";
}

}  // namespace cnnplan
