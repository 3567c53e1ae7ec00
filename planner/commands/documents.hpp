// Holds what simulate and check find, and writes it as JSON documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/base/error.hpp"

namespace cnnplan {

// Holds the result of simulating one step of a plan in SimGrid.
struct Simulation {
  double simulated_s = 0.0;    // time of the step in SimGrid
  double predicted_s = 0.0;    // time of the step as the planner predicts it
  double kernels_s = 0.0;      // kernels and loading of the busiest lane, part of both times
  std::int64_t processes = 0;  // that SimGrid ran; overlap needs several for each rank
  std::int64_t messages = 0;   // of all processes
  std::string folder{};        // with the files of the simulation
};
// Returns a document of the kind "simulation".
std::string to_json(const Simulation& simulation);

// Says what a file is good for, or what is wrong with it.
struct CheckedFile {
  std::string file;
  std::string verdict{};  // empty: the file is wrong
  ExitCode exit_code = ExitCode::ok;
  std::string message;                  // of the error
  std::optional<InputProblem> problem;  // where in the file, if this is known
};
// Returns a document of the kind "check", with the files in their order.
std::string to_json(const std::vector<CheckedFile>& files);

}  // namespace cnnplan
