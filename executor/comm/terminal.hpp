// Who listens to what this program says.
#pragma once

namespace cnnplan {

// True when stderr ends on a terminal. mpirun gives its ranks a pipe for stderr and passes on what
// comes out of it: for a rank beside mpirun, what counts is where mpirun writes.
bool stderr_is_terminal();

// Before MPI runs: false where the launcher's environment (Open MPI, PMI, Slurm) says that another
// process is rank 0.
bool is_first_process();

}  // namespace cnnplan
