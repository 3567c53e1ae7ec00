// Tells whether a user reads the messages of this program on a terminal, and whether this process
// is rank 0.
#pragma once

namespace cnnplan {

// Returns true when stderr ends on a terminal. mpirun gives its ranks a pipe as stderr and forwards
// their output, so for a rank started by mpirun the stderr of mpirun decides.
bool stderr_is_terminal();

// Works before MPI runs. It returns false when the launcher's environment (Open MPI, PMI, Slurm)
// gives this process a rank other than 0.
bool is_first_process();

}  // namespace cnnplan
