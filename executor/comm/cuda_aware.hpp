// Tells whether MPI accepts addresses in the memory of a GPU.
#pragma once

namespace cnnplan {

// Returns what the library reports at run time, unless the environment sets CNNPLAN_CUDA_AWARE to 0
// or 1.
bool mpi_is_cuda_aware();

}  // namespace cnnplan
