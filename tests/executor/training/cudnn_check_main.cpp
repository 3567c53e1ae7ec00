// Runs the training tests on a GPU, which the ranks share.
#define DOCTEST_CONFIG_IMPLEMENT
#include <mpi.h>

#include "tests/executor/run_on_gpu.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  constexpr int keep = 0;
  setenv("CNNPLAN_CASES", "20", keep);
  int code = cnnplan::test::run_on_gpu(argc, argv);
  MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
