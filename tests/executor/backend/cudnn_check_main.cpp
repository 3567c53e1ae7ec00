// Runs the kernel tests on the GPU of this machine; exits with 77 where there is none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "planner/model/error.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  try {
    cnnplan::make_backend("cudnn");
  } catch (const cnnplan::EnvironmentError& error) {
    std::fprintf(stderr, "skipped: %s\n", error.what());
    return skipped;
  }
  setenv("CNNPLAN_TEST_BACKENDS", "cudnn", 1);
  return doctest::Context(argc, argv).run();
}
