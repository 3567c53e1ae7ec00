// Tells whether a user reads the messages of this program on a terminal and how wide it is, and
// whether this process is rank 0.
#pragma once

#include "planner/base/terminal.hpp"

namespace cnnplan {

// Returns true when stderr ends on a terminal. mpirun gives its ranks a pipe as stderr and forwards
// their output, so for a rank started by mpirun (of Open MPI) the stderr of mpirun decides.
bool stderr_is_terminal();

// Returns the style of messages for that terminal. Where stderr goes to a file or a pipe, a message
// is one line, because programs search logs, and because ranks write to one log.
MessageStyle message_style();

// Returns true for rank 0, and for a process without a launcher. It does not need MPI: it reads the
// rank from the environment that the launcher sets (Open MPI, PMI, Slurm).
bool is_first_process();

}  // namespace cnnplan
