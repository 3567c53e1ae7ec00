// Runs the tests of a program on the GPU of this machine.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "planner/base/error.hpp"
#include "tests/case_lines.hpp"

namespace cnnplan::test {

// Returns the exit status: that of the tests, or 77 where there is no GPU.
inline int run_on_gpu(int argc, char** argv) {
  constexpr int skipped = 77;
  try {
    make_backend("cudnn");
  } catch (const EnvironmentError& error) {
    std::fprintf(stderr, "skipped: %s\n", error.what());
    return skipped;
  }
  setenv("CNNPLAN_TEST_BACKENDS", "cudnn", 1);
  return doctest::Context(argc, argv).run();
}

}  // namespace cnnplan::test
