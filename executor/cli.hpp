// Defines the options of cnnexec, and reads them from the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "executor/agreement/equal_facts.hpp"
#include "executor/comm/program.hpp"
#include "executor/training/trainer.hpp"

namespace cnnplan {

// Holds what the user of cnnexec chose.
struct Options {
  std::string plan_file = "plan.json";
  std::string run_file = "run.json";
  std::string inferred_file;    // empty: training, or a verification
  std::string graphs = "auto";  // or "on", "off"
  bool verbose = false;
  bool quiet = false;
  bool doctor = false;            // answer cnnplan doctor instead of training
  bool chose_backend = false;     // set by the user
  std::string verify;             // what to compare with; empty: no verification
  std::int64_t check_period = 0;  // in steps, of --check-gradient
  double comm_timeout_s = default_comm_timeout_s;
  TrainingOptions training;
  std::vector<Fact> equal;  // options that all ranks must have alike
};

// Fills `options`. Returns an exit code if there is nothing to run: 0 after --help or --version,
// else the code of a wrong command line. Only the first process prints the answer. It works before
// MPI runs.
std::optional<int> parse_command_line(int argc, char** argv, Options& options);

}  // namespace cnnplan
