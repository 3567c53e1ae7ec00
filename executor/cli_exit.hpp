// Answers --help, --version or a wrong command line, in programs that mpirun starts on several
// ranks.
#pragma once

#include <sstream>

#include <CLI/CLI.hpp>

#include "executor/comm/terminal.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

// Prints the answer to `error`, which CLI11 threw while `app` parsed its command line. Only the
// first process prints. Returns the exit code: 0 after --help or --version, else the code of a
// wrong command line. It does not need MPI.
inline int exit_code_of(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream unheard;
  const int code = is_first_process() ? app.exit(error) : app.exit(error, unheard, unheard);
  return code == 0 ? 0 : static_cast<int>(ExitCode::usage);
}

}  // namespace cnnplan
