// Holds the estimated time of a kernel that was not timed, with its range, and its workspace.
#pragma once

#include <cstdint>

namespace cnnplan {

struct KernelEstimate {
  double seconds = 0.0;  // the most likely time
  double low_s = 0.0;    // the lower end of the range in which the time is expected
  double high_s = 0.0;   // the upper end
  std::int64_t workspace_bytes = 0;
};

}  // namespace cnnplan
