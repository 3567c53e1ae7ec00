// Declares the exit codes of all programs, and the part of --help that explains them.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

enum class ExitCode : int {
  ok = 0,
  internal = 1,                  // the program has a fault
  usage = 2,                     // the command line is wrong
  bad_input = 3,                 // an input file, or a value in it, is wrong
  infeasible = 4,                // no plan fits into the memory of the ranks, or memory ran out
  environment = 5,               // the machine, its libraries or the launch do not suit the command
  prediction_outside_limit = 6,  // the prediction is off by more than its limit
  not_finite = 7,                // a value of the training is NaN or infinite
  peer_lost = 8,                 // another rank was lost
  io = 9,                        // a file cannot be read or written
  wrong_result = 10,             // a check found a wrong result
  too_sensitive = 11,            // rounding hides whether results are right
  preempted = 75,                // a signal stopped the training, and its state is saved
};

// Returns the section EXIT CODES of a program's --help, with a line for each code. It leaves out
// the codes in `impossible`, with which this program never ends.
std::string exit_codes_help(const std::vector<ExitCode>& impossible);

}  // namespace cnnplan
