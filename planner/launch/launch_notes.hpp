// Says before a job waits in a queue what may surprise its user.
#pragma once

#include <string>
#include <vector>

#include "planner/launch/placement.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns a warning if ranks share GPUs, else an empty text.
std::string shared_gpus_text(const Placement& placement);

// Returns notes about cnnexec with its options, which are `program`. They say that a training has
// no data, no number of steps or no NCCL, and that a batch script (`is_script`) does not continue
// it. @pre problem_of_exec_words() finds no problem in the options
std::vector<std::string> launch_notes(const Plan& plan,
                                      const Placement& placement,
                                      const std::vector<std::string>& program,
                                      bool is_script);

}  // namespace cnnplan
