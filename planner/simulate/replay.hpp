// Writes the files of a simulation, and runs SimGrid on them.
#pragma once

#include <string>

#include "planner/platform/platform.hpp"
#include "planner/simulate/rank_traces.hpp"

namespace cnnplan {

// Creates `folder` if it is missing, and writes these files into it: platform.xml, hosts (one line
// per process), traces (the names of the trace files), and trace-<process>. @throws IoError
void write_simulation(const std::string& folder, const Platform& platform, const Traces& traces);

// Returns the smpirun command that replays the files. It must run in their folder.
std::string replay_command(int processes);

// Runs smpirun until it ends, and returns the simulated seconds until the last process ends.
// SimGrid's output stays in `folder`/smpirun.log.
// @throws EnvironmentError where smpirun is missing or fails, IoError where its log cannot be read
// @pre write_simulation wrote `folder` for this number of processes
double replay(const std::string& folder, int processes);

}  // namespace cnnplan
