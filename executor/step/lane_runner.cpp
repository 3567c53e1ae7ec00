// Runs the operations of each lane in order, and waits for operations of other lanes.
#include "executor/step/lane_runner.hpp"

#include <cstdint>
#include <stdexcept>

namespace cnnplan {

LaneRunner::LaneRunner(const Schedule& schedule,
                       const std::vector<PreparedOperation>& prepared,
                       const StepQueues& queues,
                       Backend& backend)
    : schedule_(schedule),
      prepared_(prepared),
      queues_(queues),
      backend_(backend),
      ends_(prepared.size()),
      by_lane_(static_cast<std::size_t>(schedule.lanes)),
      threads_(schedule.lanes, [this] { backend_.prepare_thread(); }) {
  if (queues.overlap()) throw std::logic_error("a host has no queues for what overlaps");
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    by_lane_[static_cast<std::size_t>(queues.lane_of(i))].push_back(i);
  }
}

void LaneRunner::reserve_workspaces(const std::vector<std::int64_t>& bytes) {
  threads_.run(
      [&](int lane) { backend_.reserve_workspace(bytes[static_cast<std::size_t>(lane)]); });
}

void LaneRunner::run(const Start& start, Timing timing) {
  ends_.begin_step();
  threads_.run([&](int lane) { run_lane(lane, start, timing); });
}

// After a lane has failed, the other lanes go on without kernels, so that other ranks get their
// messages. Then the error is thrown.
void LaneRunner::run_lane(int lane, const Start& start, Timing timing) {
  const std::vector<std::size_t>& operations = by_lane_[static_cast<std::size_t>(lane)];
  try {
    for (const std::size_t operation : operations) run_operation(operation, start, timing);
  } catch (...) {
    ends_.fail();
    for (const std::size_t operation : operations) ends_.mark(operation);
    throw;
  }
}

void LaneRunner::run_operation(std::size_t operation, const Start& start, Timing timing) {
  await_other_lanes(operation);
  const bool is_timed = timing == Timing::operations;
  if (is_timed) prepared_[operation].begin->record();
  const bool is_left_out = prepared_[operation].is_kernel && ends_.failed();
  if (!is_left_out) start(operation);
  if (is_timed) prepared_[operation].end->record();
  ends_.mark(operation);
}

void LaneRunner::await_other_lanes(std::size_t operation) const {
  for (const OperationIndex other : schedule_.operations[operation].depends_on) {
    const auto earlier = static_cast<std::size_t>(other);
    if (queues_.lane_of(earlier) != queues_.lane_of(operation)) ends_.wait(earlier);
  }
}

}  // namespace cnnplan
