// Lists the kernels that a training step of a network runs on one rank, each with its number of
// runs.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Holds a kernel of a step.
struct StepKernel {
  KernelSpec spec;
  KernelConstants constants;  // from the first occurrence
  int count = 0;              // occurrences in a step
  // A batch norm sums the whole output of this many occurrences of a convolution.
  int before_batch_norm = 0;
};

// Returns the kernels of a training step on one rank with `batch` samples, in the order of their
// first occurrence, as a GPU runs them (planner/schedule/stored_samples.hpp). Kernels without work
// are left out.
// @throws InputError where the batch is too large
std::vector<StepKernel> step_kernels(const Network& network,
                                     std::int64_t batch,
                                     Precision precision);

}  // namespace cnnplan
