// Times an engine, or any other work of the device, as a graph between two events.
#pragma once

#include <memory>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

class Stopwatch {
 public:
  // Keeps a reference.
  explicit Stopwatch(CudaDevice& device)
      : device_(device), begin_(device.make_event()), end_(device.make_event()) {}

  // Launches several graphs of equal runs. Returns the seconds of one run, as their mean in the
  // fastest launch. The result is infinity if the first launches take so much longer than
  // `best_known_s` that no other follows. It blocks, as does seconds().
  // @throws BackendError, DeviceLostError
  double best_seconds(ConvolutionProgram& program,
                      const ConvolutionOperands& operands,
                      double best_known_s);
  // Returns the seconds of one launch of `graph`.
  double seconds(WorkGraph& graph);

 private:
  CudaDevice& device_;
  std::unique_ptr<Event> begin_;
  std::unique_ptr<Event> end_;
};

}  // namespace cnnplan::cudnn
