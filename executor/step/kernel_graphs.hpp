// Captures and starts each sequence of kernels as one graph of the device.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/step/graph_choice.hpp"
#include "executor/step/prepared_operation.hpp"
#include "executor/step/step_context.hpp"
#include "executor/step/step_queues.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Divides a schedule into runs of kernels, and owns the graphs of the runs.
class KernelGraphs {
 public:
  // Keeps references to all objects. Without graphs, as on a host, every kernel starts by itself.
  KernelGraphs(const Schedule& schedule,
               const PreparedOperations& prepared,
               const StepQueues& queues,
               Device& device,
               Graphs graphs);

  // Returns the end of the run that begins at the operation `first`. A run is kernels that follow
  // each other in one queue. Either all of them update parameters, or none. The run as a whole may
  // wait for kernels of other queues that were started before it. Its kernels wait for nothing else
  // in other queues. Without overlap, all communication before the run is finished when it begins.
  // An operation that is no kernel, or that a host runs, is a run of its own.
  // @pre a run begins at `first`
  OperationIndex run_end(OperationIndex first) const { return first + run_lengths_[first]; }
  // Returns the graph of the run that begins at `first`. It is null where the kernels start one by
  // one: in the first step, in runs of fewer than 4 kernels, and where the choice says so. The
  // first call captures.
  // @throws BackendError with Graphs::on where the device cannot capture the kernels
  WorkGraph* graph_of(OperationIndex first, const StepState& state, Timing timing);
  // Starts a graph. Returns false without a graph, or where the device refuses the graph; the
  // kernels then start one by one. @throws BackendError with Graphs::on where the device refuses
  // the graph
  bool launch(WorkGraph* graph);
  // Takes the time of a step, and chooses for the next step. The first step and steps with
  // Timing::operations do not count. Call it after every step.
  void end_step(double step_s, Timing timing);
  // Returns why kernels cannot be captured or their graphs cannot start, where `preferred` or
  // `automatic` then starts them one by one; else empty.
  const std::string& why_none() const { return why_none_; }
  // Returns how many events Timing::operations adds to a step, in the lane where it adds most. Each
  // operation gets one event. Operations of a graph get a second one if there are several queues.
  // The graphs are those that steps with Timing::operations have captured so far.
  std::size_t added_events() const;

 private:
  void find_runs(const Schedule& schedule);
  bool waits(const Operation& operation, OperationIndex index, OperationIndex first) const;
  bool is_kernel_in(OperationIndex operation, int lane) const;
  std::unique_ptr<WorkGraph> capture(OperationIndex first, const StepState& state, Timing timing);
  void refuse(const BackendError& error);

  const PreparedOperations& prepared_;
  const StepQueues& queues_;
  Device& device_;
  bool is_required_;  // a device that refuses graphs ends the step
  GraphChoice choice_;
  std::string why_none_;
  bool has_run_ = false;
  IndexedVector<OperationIndex, int> run_lengths_;  // kernels in the run that begins there
  // The graph of the run that begins there, by timing.
  IndexedVector<OperationIndex, std::array<std::unique_ptr<WorkGraph>, 2>> graphs_;
};

}  // namespace cnnplan
