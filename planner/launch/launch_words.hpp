// Makes the words of srun and mpirun that place ranks on nodes and bind them to cores.
#pragma once

#include <string>
#include <vector>

#include "planner/launch/placement.hpp"

namespace cnnplan {

// Slurm ends the ranks that still run this number of seconds after the first rank has ended (srun
// --wait). Ranks that all end by themselves need less time.
inline constexpr int wait_for_ranks_s = 60;

// This is the type of srun --mpi by which Open MPI starts.
inline constexpr const char* default_mpi_type = "pmix";

// Returns srun with its options. `mpi_type` is one of those that `srun --mpi=list` prints. The
// ranks run in the folder `chdir`, or in the current one if it is empty.
std::vector<std::string> srun_words(const Placement& placement,
                                    const std::string& mpi_type = default_mpi_type,
                                    const std::string& chdir = {});
// Returns mpirun of Open MPI with its options. An empty `hostfile` leaves the choice of nodes to
// mpirun, which takes the nodes of a job. `chdir` is as above.
std::vector<std::string> mpirun_words(const Placement& placement,
                                      const std::string& hostfile = {},
                                      const std::string& chdir = {});

// Returns the words with spaces between them, each quoted where a shell would change it.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace cnnplan
