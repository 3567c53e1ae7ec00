// Marks functions that run on the host and, where nvcc compiles them, on a GPU, too.
#pragma once

#ifdef __CUDACC__
#define CNNPLAN_HOST_DEVICE __host__ __device__
#else
#define CNNPLAN_HOST_DEVICE
#endif
