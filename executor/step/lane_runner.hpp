// Runs a step on a host whose schedule has several lanes: a thread for each lane.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/step/lane_threads.hpp"
#include "executor/step/operation_ends.hpp"
#include "executor/step/prepared_operation.hpp"
#include "executor/step/step_context.hpp"
#include "executor/step/step_queues.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Owns the threads of the lanes, and says which operation each of them runs next.
class LaneRunner {
 public:
  using Start = std::function<void(OperationIndex operation)>;

  // Keeps references to all objects. @pre streams do not overlap
  // @throws EnvironmentError where the system has not as many threads
  LaneRunner(const Schedule& schedule,
             const PreparedOperations& prepared,
             const StepQueues& queues,
             Backend& backend);

  // Runs all operations, and blocks until they are done. Every lane calls `start` in its own
  // thread, at the same time as others. `start` starts an operation, and also ends its
  // communication. Lane 0 communicates. After a lane fails, the others run no more kernels.
  // @throws the error of the first lane that failed
  void run(const Start& start, Timing timing);
  // Reserves a workspace for each lane, in its thread. `bytes` has one entry per lane.
  // @throws as Backend::reserve_workspace()
  void reserve_workspaces(const std::vector<std::int64_t>& bytes);

 private:
  void run_lane(int lane, const Start& start, Timing timing);
  void run_operation(OperationIndex operation, const Start& start, Timing timing);
  void await_other_lanes(OperationIndex operation) const;

  const Schedule& schedule_;
  const PreparedOperations& prepared_;
  const StepQueues& queues_;
  Backend& backend_;
  OperationEnds ends_;
  std::vector<std::vector<OperationIndex>> by_lane_;  // the operations of each lane
  LaneThreads threads_;                               // the threads end first
};

}  // namespace cnnplan
