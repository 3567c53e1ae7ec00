// Whether somebody watches what this program says while it runs.
#pragma once

namespace cnnplan {

// True when stderr ends on a terminal. mpirun gives its ranks a pipe for stderr and passes on what
// comes out of it: for a rank beside mpirun, what counts is where mpirun writes.
bool stderr_is_terminal();

}  // namespace cnnplan
