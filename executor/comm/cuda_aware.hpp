// Tells whether MPI accepts addresses in the memory of a GPU.
#pragma once

namespace cnnplan {

// Returns what Open MPI reports at run time, and false for other libraries. The environment may
// decide otherwise: CNNPLAN_CUDA_AWARE=1 stands for true, and any other value for false.
bool mpi_is_cuda_aware();

}  // namespace cnnplan
