// Holds main() of the MPI tests. Every rank runs every test, and one failing rank fails the
// program.
#define DOCTEST_CONFIG_IMPLEMENT
#include <mpi.h>

#include "tests/case_lines.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  doctest::Context context(argc, argv);
  int failed = context.run();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
