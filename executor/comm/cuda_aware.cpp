// Asks Open MPI through its extension; any other MPI library is assumed not to read a GPU's memory.
#include "executor/comm/cuda_aware.hpp"

#include <cstdlib>
#include <string_view>

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

namespace cnnplan {
namespace {

bool library_says_so() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace

bool mpi_is_cuda_aware() {
  const char* const decided = std::getenv("CNNPLAN_CUDA_AWARE");
  return decided == nullptr ? library_says_so() : std::string_view(decided) == "1";
}

}  // namespace cnnplan
