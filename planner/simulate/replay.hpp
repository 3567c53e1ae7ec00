// The files of a simulation, and SimGrid run on them.
#pragma once

#include <string>

#include "planner/platform/platform.hpp"
#include "planner/simulate/rank_traces.hpp"

namespace cnnplan {

// Writes into `folder`, which is made where it is missing: platform.xml; hosts, one line per
// process; traces, the names of the trace files; trace-<process>. @throws IoError
void write_simulation(const std::string& folder, const Platform& platform, const Traces& traces);

// What replays the files, to be run in their folder.
std::string replay_command(int processes);

// Seconds until the last process ends; SimGrid's own words stay in `folder`/smpirun.log.
// @throws EnvironmentError where there is no smpirun, or it fails
double replay(const std::string& folder, int processes);

}  // namespace cnnplan
