// Writes the messages of the errors that carry fields.
#include "planner/base/error.hpp"

#include <utility>

#include "planner/base/bytes_text.hpp"

namespace cnnplan {
namespace {

std::string message_of(const InputProblem& problem) {
  std::string place = problem.file;
  if (!place.empty() && !problem.pointer.empty()) place += ": ";
  place += problem.pointer;
  if (!place.empty()) place += ": ";
  return place + "got " + problem.value + "; allowed: " + problem.allowed;
}

// Returns a text such as "12.59 MiB (13201408 bytes)".
std::string with_bytes(std::int64_t bytes) {
  return bytes_text(bytes) + (bytes < 1024 ? "" : " (" + std::to_string(bytes) + " bytes)");
}

}  // namespace

InputError::InputError(InputProblem problem)
    : Error(ExitCode::bad_input, message_of(problem)), problem_(std::move(problem)) {}

InfeasibleError::InfeasibleError(const std::string& what,
                                 std::int64_t needed,
                                 std::int64_t available)
    : Error(ExitCode::infeasible,
            what + ": needs " + with_bytes(needed) + ", has " + with_bytes(available)),
      needed_(needed),
      available_(available) {}

}  // namespace cnnplan
