// Messages of the errors that carry fields.
#include "planner/model/error.hpp"

#include <utility>

namespace cnnplan {
namespace {

std::string message_of(const InputProblem& problem) {
  std::string place = problem.file;
  if (!place.empty() && !problem.pointer.empty()) place += ": ";
  place += problem.pointer;
  if (!place.empty()) place += ": ";
  return place + "got " + problem.value + "; allowed: " + problem.allowed;
}

}  // namespace

InputError::InputError(InputProblem problem)
    : Error(ExitCode::bad_input, message_of(problem)), problem_(std::move(problem)) {}

InfeasibleError::InfeasibleError(const std::string& what,
                                 std::int64_t needed,
                                 std::int64_t available)
    : Error(ExitCode::infeasible,
            what + ": needs " + std::to_string(needed) + ", has " + std::to_string(available)),
      needed_(needed),
      available_(available) {}

}  // namespace cnnplan
