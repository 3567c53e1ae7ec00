// Turns the options of solve into a request to the search.
#pragma once

#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

// Appends the files that it read to `inputs`, the network first. @throws InputError, IoError
SolveRequest request_of(const SolveOptions& options, std::vector<InputFile>& inputs);

}  // namespace cnnplan
