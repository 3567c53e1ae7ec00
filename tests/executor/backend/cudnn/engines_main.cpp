// main() of the tests that ask the real library for engines of GPUs that are only described. It
// exits with 77 where the library wants a GPU.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/engine_target.hpp"
#include "planner/base/error.hpp"
#include "tests/case_lines.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  try {
    cnnplan::cudnn::EngineTarget target(cnnplan::test::h100);
  } catch (const cnnplan::BackendError& error) {
    std::fprintf(stderr, "skipped: cuDNN before 9.8 knows no described GPU: %s\n", error.what());
    return skipped;
  }
  return doctest::Context(argc, argv).run();
}
