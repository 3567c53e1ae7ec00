// Runs the operations of each lane in order, and waits for operations of other lanes.
#include "executor/step/lane_runner.hpp"

#include <cstdint>
#include <stdexcept>

namespace cnnplan {

LaneRunner::LaneRunner(const Schedule& schedule,
                       const PreparedOperations& prepared,
                       const StepQueues& queues,
                       Backend& backend)
    : schedule_(schedule),
      prepared_(prepared),
      queues_(queues),
      backend_(backend),
      ends_(prepared.size()),
      by_lane_(schedule.lanes),
      threads_(schedule.lanes, [this] { backend_.prepare_thread(); }) {
  if (queues.overlap()) throw std::logic_error("a host has no queues for what overlaps");
  for (const OperationIndex i : prepared.indices()) by_lane_[queues.lane_of(i)].push_back(i);
}

void LaneRunner::reserve_workspaces(const std::vector<std::int64_t>& bytes) {
  threads_.run([&](int lane) { backend_.reserve_workspace(bytes[lane]); });
}

void LaneRunner::run(const Start& start, Timing timing) {
  ends_.begin_step();
  threads_.run([&](int lane) { run_lane(lane, start, timing); });
}

// After a lane has failed, the other lanes go on without kernels, so that other ranks get their
// messages. Then the error is thrown.
void LaneRunner::run_lane(int lane, const Start& start, Timing timing) {
  const std::vector<OperationIndex>& operations = by_lane_[lane];
  try {
    for (const OperationIndex operation : operations) run_operation(operation, start, timing);
  } catch (...) {
    ends_.fail();
    for (const OperationIndex operation : operations) ends_.mark(operation);
    throw;
  }
}

void LaneRunner::run_operation(OperationIndex operation, const Start& start, Timing timing) {
  await_other_lanes(operation);
  const bool is_timed = timing == Timing::operations;
  if (is_timed) prepared_[operation].begin->record();
  const bool is_left_out = prepared_[operation].is_kernel && ends_.failed();
  if (!is_left_out) start(operation);
  if (is_timed) prepared_[operation].end->record();
  ends_.mark(operation);
}

// Updates wait for all lanes, because all gradients are looked at before the first update.
void LaneRunner::await_other_lanes(OperationIndex operation) const {
  for (const OperationIndex earlier : schedule_.operations[operation].depends_on) {
    if (queues_.lane_of(earlier) != queues_.lane_of(operation)) ends_.wait(earlier);
  }
  if (!is_update(schedule_.operations[operation])) return;
  for (const OperationIndex earlier : prepared_.indices()) {
    if (earlier < operation && queues_.lane_of(earlier) != queues_.lane_of(operation)) {
      ends_.wait(earlier);
    }
  }
}

}  // namespace cnnplan
