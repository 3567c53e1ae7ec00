// Changes the options of a command line of solve, for commands that a user can copy.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns "cnnplan solve" with these words, for another number of ranks. Options that give the
// number of ranks are left out of `words`. Words that a shell would split are quoted.
std::string solve_for_ranks(const std::vector<std::string>& words, int ranks);

}  // namespace cnnplan
