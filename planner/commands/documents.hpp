// Holds what simulate and check find, and writes it as JSON documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/base/error.hpp"

namespace cnnplan {

struct Simulation {
  double simulated_s = 0.0;  // a step
  double predicted_s = 0.0;
  double kernels_s = 0.0;  // kernels of the busiest lane, which both times include
  std::int64_t processes = 0;
  std::int64_t messages = 0;
  std::string folder{};  // of the traces
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
