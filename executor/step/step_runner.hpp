// Interprets a schedule, step by step. It decides nothing about distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/step/finish_order.hpp"
#include "executor/step/kernel_graphs.hpp"
#include "executor/step/lane_runner.hpp"
#include "executor/step/left_out_kernels.hpp"
#include "executor/step/prepared_operation.hpp"
#include "executor/step/schedule_memory.hpp"
#include "executor/step/step_context.hpp"
#include "executor/step/step_queues.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Says when an operation began and ended, in seconds from a mark.
struct MarkedTimes {
  double begin_s = 0.0;
  double end_s = 0.0;
};

// Builds kernels, transfers and buffers once, so that later steps need not allocate them.
class StepRunner {
 public:
  // Keeps references to `schedule` and to the objects of `context`. It is collective where the
  // schedule communicates.
  // @throws BackendError or InfeasibleError for a kernel that cannot be made, unless `context`
  // leaves such kernels out; DeviceLostError; as Device::allocate() for memory; EnvironmentError
  // where there are no threads for lanes, or as Groups::get_nccl()
  StepRunner(const Schedule& schedule, const StepContext& context);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;
  // An exception that destroys this object ends all work of NCCL on this rank. Other ranks may
  // never come to that work, and memory that it uses could not be freed.
  ~StepRunner();

  // Runs one step. It blocks, and is collective over all ranks of the schedule.
  // @throws BackendError, DeviceLostError, CommError, and the errors of data and before_updates; in
  // the first step, also as Device::allocate()
  void run(const StepState& state, Timing timing = Timing::operations);

  // Runs the operations of a step one after the other, except updates, and calls `done` after each
  // of them, when its results are in memory. Running values change as in a step. The times stay
  // those of the last run(), and loss() is not valid until the next run(). It blocks, and is
  // collective over all ranks of the schedule.
  // @throws as run(), and the errors of `done`; before_updates is not called
  void run_one_by_one(const StepState& state,
                      const std::function<void(OperationIndex operation)>& done);

  // Returns the seconds of every operation in the last run(); empty unless they were timed.
  std::span<const double> operation_times_s() const { return times_s_; }
  // Returns when an operation began and ended in the last run(). `origin` is a mark before the run.
  // @pre the run timed its operations
  MarkedTimes marked_times(OperationIndex operation, const Event& origin) const;
  // Returns the time of the last run() on this rank.
  double step_time_s() const { return step_time_s_; }
  // Returns the mean loss over the global mini-batch of the last run(). Several losses are summed
  // with their weights.
  double loss() const { return memory_.loss(); }
  const ScheduleMemory& memory() const { return memory_; }
  // Returns the bytes of buffers, staging and workspaces on the device, without parameters.
  std::int64_t memory_bytes() const;
  // False for an operation that does nothing, such as a kernel that was left out.
  bool runs(OperationIndex operation) const { return prepared_.at(operation).start != nullptr; }
  const KernelGraphs& graphs() const { return *graphs_; }
  // Returns 0 or "" for an operation that is no kernel.
  std::int64_t workspace_bytes(OperationIndex operation) const {
    return prepared_.at(operation).workspace_bytes;
  }
  const std::string& implementation(OperationIndex operation) const {
    return prepared_.at(operation).implementation;
  }

 private:
  Device& device() const { return context_.backend->device(); }
  void reserve_workspaces();
  void run_operations(const StepState& state, Timing timing);
  void select_and_wait(OperationIndex operation);
  void start(OperationIndex operation, const StepState& state);
  void start_kernel(OperationIndex operation, const StepState& state);
  void finish(const std::vector<OperationIndex>& operations);
  void finish_all();
  void before_updates(const StepState& state);

  const Schedule& schedule_;
  StepContext context_;
  StepQueues queues_;
  ScheduleMemory memory_;
  LeftOutKernels left_out_;
  PreparedOperations prepared_;
  FinishOrder unfinished_;  // operations that the host still has to finish
  IndexedVector<OperationIndex, OperationIndex> marker_;  // operation whose event marks its end
  std::unique_ptr<KernelGraphs> graphs_;
  std::vector<double> times_s_;
  double step_time_s_ = 0.0;
  std::unique_ptr<LaneRunner> lanes_;  // for a host with several lanes; its threads end first
};

}  // namespace cnnplan
