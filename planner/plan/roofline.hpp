// Holds the kernels of a step with their predicted and their least times, so that a report can
// compare them.
#pragma once

#include <string>
#include <vector>

#include "planner/kernel/kernel_bound.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Holds one kernel of the step.
struct RooflineKernel {
  std::string operation;  // its id
  OperationPlace place{};
  KernelSpec spec;
  KernelBound bound;
  double seconds = 0.0;    // predicted
  bool estimated = false;  // the prediction is an estimate, not a profiled time
};

// Holds the kernels of one rank in the order of its schedule.
struct Roofline {
  std::string profile_command{};  // times the kernels that are estimated
  int rank = 0;
  double step_s = 0.0;  // predicted for the plan
  DeviceRoof roof;
  std::vector<RooflineKernel> kernels;

  // Returns the sum of all bounds.
  double bound_s() const;
  // Returns the sum of all predicted times, or of the kernels with this bound.
  double kernels_s() const;
  double kernels_s(BoundKind kind) const;
};

}  // namespace cnnplan
