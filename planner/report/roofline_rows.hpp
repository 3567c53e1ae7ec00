// Adds up the kernels of a step that are equal, so that a report shows them in one row.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/roofline.hpp"

namespace cnnplan {

// Holds the sums over kernels.
struct RooflineRow {
  std::string first;  // the layer or group of the first kernel
  OperationPart part = OperationPart::forward;
  BoundKind kind = BoundKind::memory;
  int kernels = 0;
  double bytes = 0.0;
  double flops = 0.0;  // of convolutions; 0 for other kernels
  double bound_s = 0.0;
  double saving = 1.0;     // of the first kernel, as KernelBound has it
  double seconds = 0.0;    // predicted
  bool estimated = false;  // for at least one kernel

  // Returns by how much the prediction exceeds the bound. For an estimate, the difference says
  // nothing about the device. It is negative where a method saves more operations than the bound
  // knows, or where a cache saves bytes.
  double lost_s() const { return seconds - bound_s; }
  // True if the prediction is below the bound by more than rounding.
  bool is_below_bound() const;
  // Adds the sums of another row.
  void add(const RooflineRow& other);
};

// Returns a row for all kernels of one part that are equal, wherever they are. Mirror images are
// equal (canonical). Timed rows come first, ordered by the time that they lose. Estimated rows
// follow, ordered by their time, because what they lose is not known.
std::vector<RooflineRow> rows_of(const Roofline& roofline);

}  // namespace cnnplan
