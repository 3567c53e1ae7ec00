// Collects the kernels of a plan whose times are estimates, for its prediction.
#pragma once

#include <map>
#include <string>

#include "planner/kernel/kernel_family.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds a set of kernels.
class EstimatedKernels {
 public:
  // Adds a kernel, unless it was added before. @pre spec == canonical(spec)
  void add(const KernelSpec& spec);
  // Sets estimated_kernels and estimated_families of the prediction.
  void list_in(Prediction& prediction) const;

 private:
  std::map<std::string, KernelFamily> families_;  // by the text of the kernel
};

}  // namespace cnnplan
