// Whether MPI takes addresses in the memory of a GPU.
#pragma once

namespace cnnplan {

// What the library says of itself at run time; CNNPLAN_CUDA_AWARE=0 or 1 in the environment decides
// where it is set.
bool mpi_is_cuda_aware();

}  // namespace cnnplan
