// Times an engine, or any other work of the device, as a graph between two events.
#pragma once

#include <memory>

#include "executor/backend/cudnn/convolution_program.hpp"

namespace cnnplan::cudnn {

// Measures times on the device by two events, so that the host's time does not count.
class Stopwatch {
 public:
  // Keeps a reference to the device.
  explicit Stopwatch(CudaDevice& device)
      : device_(device), begin_(device.make_event()), end_(device.make_event()) {}

  // Returns the seconds of one run of `program`. It records equal runs in a graph, launches the
  // graph several times, and takes the mean over the runs of the fastest launch. It gives up where
  // the runs take more than twice `best_known_s`, the time of another program, and returns
  // infinity. It blocks, as does seconds().
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
