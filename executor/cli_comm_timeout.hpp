// Declares the option that limits how long ranks wait for each other, for all MPI programs.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace cnnplan {

// Checks the text of a limit in seconds. Returns an error message, or an empty text if the limit is
// allowed: 0, which means no limit, or from 1 s to 10^7 s.
inline std::string refusal_of_comm_timeout(const std::string& text) {
  constexpr double least_s = 1.0;  // shorter waits are usual on a busy machine
  constexpr double most_s = 1e7;   // about four months
  double value = -1.0;
  const bool is_number = CLI::detail::lexical_cast(text, value);
  const bool is_allowed = value == 0.0 || (value >= least_s && value <= most_s);
  if (is_number && is_allowed) return {};
  return "got " + text + "; allowed: 0, or 1 to 10000000 (seconds)";
}

// Adds --comm-timeout to the options of `app`, which writes to `seconds` when it parses.
inline void add_comm_timeout(CLI::App& app, double& seconds) {
  app.add_option("--comm-timeout",
                 seconds,
                 "Seconds for which a rank may wait for another one that does not get on; then all "
                 "ranks end with exit code 8, and rank 0 says who waits for whom. Raise it where "
                 "files are slow; 0: no limit, for debuggers")
      ->type_name("SECONDS")
      ->check(refusal_of_comm_timeout)
      ->capture_default_str();
}

}  // namespace cnnplan
