// Declares the exit codes of all programs, and the part of --help that explains them.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  bad_input = 3,
  infeasible = 4,
  environment = 5,
  prediction_outside_limit = 6,
  not_finite = 7,
  peer_lost = 8,
  io = 9,
  wrong_result = 10,
  too_sensitive = 11,
  preempted = 75,
};

// Returns the section EXIT CODES of a program's --help, with a line for each code. It leaves out
// the codes in `impossible`, with which this program never ends.
std::string exit_codes_help(const std::vector<ExitCode>& impossible);

}  // namespace cnnplan
