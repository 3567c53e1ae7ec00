// Finds the kind of an error by its exit code.
#include "planner/api/errors.hpp"

#include "planner/base/exit_code.hpp"

namespace cnnplan::api {
inline namespace v1 {
namespace {

// The planner alone never ends with the exit codes that have no kind of their own.
ErrorKind kind_of(ExitCode code) {
  switch (code) {
    case ExitCode::bad_input:
      return ErrorKind::bad_input;
    case ExitCode::infeasible:
      return ErrorKind::infeasible;
    case ExitCode::environment:
      return ErrorKind::environment;
    case ExitCode::io:
      return ErrorKind::io;
    default:
      return ErrorKind::other;
  }
}

}  // namespace

Error public_error(const cnnplan::Error& error) {
  Error::Place place;
  if (const auto* input = dynamic_cast<const InputError*>(&error)) {
    const InputProblem& problem = input->problem();
    place = {.file = problem.file,
             .pointer = problem.pointer,
             .value = problem.value,
             .allowed = problem.allowed};
  }
  return {kind_of(error.exit_code()), error.what(), std::move(place)};
}

}  // namespace v1
}  // namespace cnnplan::api
