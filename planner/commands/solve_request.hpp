// Turns the options of solve into a request to the search.
#pragma once

#include <string>
#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

// Holds the files that a plan was made from, as the plan will record them.
struct SolveInputs {
  std::vector<InputFile> files;  // the network first
  // The platform at another size has to be written to this file, next to the plan. Empty: nothing.
  std::string resized_platform_file;
};

// Reads the files that the options name, and returns the request to the search. It adds the files
// that were read to `inputs`.
// @throws InputError, IoError, and the errors of parse_network_or_model() (network_source.hpp)
SolveRequest request_of(const SolveOptions& options, SolveInputs& inputs);

}  // namespace cnnplan
