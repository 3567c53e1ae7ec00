// Chooses the launcher that the user has taken, or that the job offers.
#include "executor/launch/start_words.hpp"

#include "planner/launch/launch_words.hpp"

namespace cnnplan {
namespace {

bool takes_srun(const LaunchEnvironment& launch) {
  return launch.is_in_a_job && launch.launcher != Launcher::mpirun;
}

}  // namespace

std::string start_words(int ranks, const LaunchEnvironment& launch) {
  const std::string begin =
      takes_srun(launch) ? std::string("srun --mpi=") + default_mpi_type : std::string("mpirun");
  return begin + " -n " + std::to_string(ranks);
}

std::string placing_words(const Plan& plan, const LaunchEnvironment& launch) {
  const Placement placement = placement_of(plan, std::nullopt, "the plan");
  return shell_command(takes_srun(launch) ? srun_words(placement) : mpirun_words(placement));
}

}  // namespace cnnplan
