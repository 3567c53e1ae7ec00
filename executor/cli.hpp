// The options of cnnexec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/training/trainer.hpp"

namespace cnnplan {

struct Options {
  std::string plan_file = "plan.json";
  std::string run_file = "run.json";
  std::string inferred_file;  // empty: training
  std::string graphs = "auto";
  bool verbose = false;
  bool chose_backend = false;  // the user did
  bool verify = false;
  std::int64_t check_period = 0;
  TrainingOptions training;
};

// Fills `options`. An exit code where there is nothing to run: after --help, or a message to stderr
// of what is wrong.
std::optional<int> parse_command_line(int argc, char** argv, Options& options);

}  // namespace cnnplan
