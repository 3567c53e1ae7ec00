// Catches the fields of an input error, for tests.
#pragma once

#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan::test {

// Returns the problem of the InputError that `function` throws. Fails the test if it throws none.
template <typename Function>
InputProblem problem_of(Function&& function) {
  try {
    std::forward<Function>(function)();
  } catch (const InputError& error) {
    CHECK(error.exit_code() == ExitCode::bad_input);
    return error.problem();
  }
  FAIL_CHECK("no InputError was thrown");
  return {};
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace cnnplan::test
