// Holds the estimated time of a kernel that was not timed, with its range.
#pragma once

namespace cnnplan {

struct KernelEstimate {
  double seconds = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
};

}  // namespace cnnplan
