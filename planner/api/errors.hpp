// Turns errors of the planner into the error of the public header.
#pragma once

#include <utility>

#include "planner/api/cnnplan.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::api {
inline namespace v1 {

// Returns the public error with the message and the fields of `error`.
Error public_error(const cnnplan::Error& error);

// Returns what `function` returns. Errors that a user can meet become api::Error. Others, such as a
// lack of memory, stay as they are.
template <typename Function>
auto with_public_errors(Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const cnnplan::Error& error) {
    throw public_error(error);
  }
}

}  // namespace v1
}  // namespace cnnplan::api
