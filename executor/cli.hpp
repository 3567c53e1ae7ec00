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
  std::string inferred_file;      // for the results of --infer; empty: training, or a verification
  std::string graphs = "auto";    // whether a device records kernels: "auto", "on" or "off"
  bool verbose = false;           // print where each rank runs
  bool quiet = false;             // print errors only
  bool doctor = false;            // answer cnnplan doctor instead of training
  bool chose_backend = false;     // true if the user named the backend in `training`
  std::string verify;             // "reference": compare a step with it; empty: no verification
  std::int64_t check_period = 0;  // steps between gradient checks; 0: one check at most
  std::string traced_steps;       // of --trace-steps, such as "3:5"; empty: none
  double comm_timeout_s = default_comm_timeout_s;  // 0: no limit
  TrainingOptions training;
  std::vector<Fact> equal;  // options that all ranks must have alike
  std::string command;      // the command line of this process, as a shell reads it
};

// Reads the command line into `options`. Returns nothing if there is something to run. Otherwise,
// it has printed an answer, and returns the exit code: 0 after --help or --version, else the code
// of a wrong command line. Only the first process prints the answer. Call it before MPI is
// initialised.
std::optional<int> parse_command_line(int argc, char** argv, Options& options);

}  // namespace cnnplan
