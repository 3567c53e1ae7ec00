// Turns the options of solve into a request to the search.
#pragma once

#include <string>
#include <vector>

#include "planner/base/input_file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

struct SolveInputs {
  std::vector<InputFile> files;  // the network first
  // The platform at another size has to be written to this file, next to the plan. Empty: nothing.
  std::string resized_platform_file;
};

// Also says which files it reads. @throws InputError, IoError
SolveRequest request_of(const SolveOptions& options, SolveInputs& inputs);

}  // namespace cnnplan
