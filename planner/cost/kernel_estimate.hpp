// What a kernel may take that was not timed.
#pragma once

namespace cnnplan {

struct KernelEstimate {
  double seconds = 0.0;
  double low_s = 0.0;
  double high_s = 0.0;
};

}  // namespace cnnplan
