// Times what an engine, or any other work, takes on the device, with graphs between two events.
#pragma once

#include <memory>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

class Stopwatch {
 public:
  explicit Stopwatch(CudaDevice& device)
      : device_(device), begin_(device.make_event()), end_(device.make_event()) {}

  // Seconds of the fastest run of several. Infinity if the first runs take so much longer than
  // `best_known_s` that repeating them is not worth it. Blocks.
  double best_seconds(ConvolutionProgram& program,
                      const ConvolutionOperands& operands,
                      double best_known_s);
  // Seconds of one launch of `graph`. Blocks.
  double seconds(WorkGraph& graph);

 private:
  CudaDevice& device_;
  std::unique_ptr<Event> begin_;
  std::unique_ptr<Event> end_;
};

}  // namespace cnnplan::cudnn
