// Says which launcher started this process, and recognises launches that MPI does not connect.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

namespace cnnplan {

enum class Launcher {
  none,    // or one that sets no known variable
  mpirun,  // of Open MPI
  srun,    // of Slurm
  other,   // a launcher with PMI, such as mpirun of MPICH
};

// Holds what the environment says of the launch.
struct LaunchEnvironment {
  Launcher launcher = Launcher::none;
  int processes = 1;         // that the launcher started; 1 if it does not say
  bool has_pmix = false;     // it offers PMIx, by which Open MPI finds the other processes
  bool has_pmi = false;      // it offers an older PMI
  bool is_in_a_job = false;  // of Slurm, also without srun
  bool operator==(const LaunchEnvironment&) const = default;
};

// Reads the environment. `variable` returns the value of a variable, or null without it.
LaunchEnvironment launch_environment(const std::function<const char*(const char*)>& variable =
                                         [](const char* name) { return std::getenv(name); });

// Returns what is wrong if srun started several processes that no MPI can connect, else an empty
// text. Open MPI ends such processes with many lines of its own, so ask before it starts.
std::string unconnected_problem(const LaunchEnvironment& launch);
// Returns a sentence if srun offers an older PMI than PMIx, by which few builds of Open MPI start,
// else an empty text.
std::string old_pmi_note(const LaunchEnvironment& launch);
// Returns what is wrong if MPI has one rank, though the launcher started several processes, else an
// empty text.
std::string lone_rank_problem(const LaunchEnvironment& launch, int ranks);

}  // namespace cnnplan
