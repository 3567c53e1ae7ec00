// The options of cnnexec.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

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

// With the footer. Keeps references to `options`.
void add_options(CLI::App& app, Options& options);

// What is left to set when the command line was read.
void complete(Options& options, const CLI::App& app);

}  // namespace cnnplan
