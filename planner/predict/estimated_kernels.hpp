// Collects the kernels of a plan whose times are estimates, for its prediction.
#pragma once

#include <map>
#include <string>

#include "planner/kernel/kernel_family.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

class EstimatedKernels {
 public:
  // Kernels that were added before change nothing. @pre `spec` is canonical
  void add(const KernelSpec& spec);
  // Sets the lists of estimated kernels and of their families.
  void list_in(Prediction& prediction) const;

 private:
  std::map<std::string, KernelFamily> families_;  // by the text of the kernel
};

}  // namespace cnnplan
