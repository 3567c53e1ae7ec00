// Runs training tests on the GPU of this machine, which the ranks share; exits with 77 where there
// is none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>

#include <doctest/doctest.h>
#include <mpi.h>

#include "executor/backend/backend.hpp"
#include "planner/model/error.hpp"

namespace {

constexpr int skipped = 77;

int run(int argc, char** argv) {
  try {
    cnnplan::make_backend("cudnn");
  } catch (const cnnplan::EnvironmentError& error) {
    std::fprintf(stderr, "skipped: %s\n", error.what());
    return skipped;
  }
  constexpr int keep = 0;
  setenv("CNNPLAN_TEST_BACKENDS", "cudnn", 1);
  setenv("CNNPLAN_CASES", "20", keep);
  return doctest::Context(argc, argv).run();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = run(argc, argv);
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
