// The kernel tests on a GPU.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/executor/run_on_gpu.hpp"

int main(int argc, char** argv) {
  return cnnplan::test::run_on_gpu(argc, argv);
}
