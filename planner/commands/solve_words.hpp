// Changes the options of a command line of solve, for commands that a user can copy.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns the command "cnnplan solve" with `words` for `ranks` ranks. The options in `words` that
// give a number of ranks are replaced. Words that a shell would split are quoted.
std::string solve_for_ranks(const std::vector<std::string>& words, int ranks);

}  // namespace cnnplan
