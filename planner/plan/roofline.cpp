// Adds up times of kernels.
#include "planner/plan/roofline.hpp"

namespace cnnplan {

double Roofline::bound_s() const {
  double sum_s = 0.0;
  for (const RooflineKernel& kernel : kernels) sum_s += kernel.bound.seconds();
  return sum_s;
}

double Roofline::kernels_s() const {
  double sum_s = 0.0;
  for (const BoundKind kind : Enumerators<BoundKind>::all) sum_s += kernels_s(kind);
  return sum_s;
}

double Roofline::kernels_s(BoundKind kind) const {
  double sum_s = 0.0;
  for (const RooflineKernel& kernel : kernels) {
    if (kernel.bound.kind() == kind) sum_s += kernel.seconds;
  }
  return sum_s;
}

}  // namespace cnnplan
