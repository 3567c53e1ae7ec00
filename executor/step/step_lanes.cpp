// A step on a host whose schedule has several lanes: a thread for each.
#include <stdexcept>

#include "executor/step/step_runner.hpp"

namespace cnnplan {

void StepRunner::start_threads() {
  if (context_.overlap) throw std::logic_error("a host has no queues for what overlaps");
  by_lane_.resize(static_cast<std::size_t>(schedule_.lanes));
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    by_lane_[static_cast<std::size_t>(lane_of(i))].push_back(i);
  }
  threads_ = std::make_unique<LaneThreads>(schedule_.lanes,
                                           [this] { context_.backend->prepare_thread(); });
}

void StepRunner::run_lanes(const StepState& state, Timing timing) {
  ends_.begin_step();
  threads_->run([&](int lane) { run_lane(lane, state, timing); });
}

// One that fails lets the others go on without their kernels, whose order went through it: other
// ranks get their messages, and then it is told.
void StepRunner::run_lane(int lane, const StepState& state, Timing timing) {
  const std::vector<std::size_t>& operations = by_lane_[static_cast<std::size_t>(lane)];
  try {
    for (std::size_t operation : operations) run_in_lane(operation, state, timing);
  } catch (...) {
    ends_.fail();
    for (std::size_t operation : operations) ends_.mark(operation);
    throw;
  }
}

// Nothing overlaps on a host: communication, in lane 0, is over when it has started.
void StepRunner::run_in_lane(std::size_t operation, const StepState& state, Timing timing) {
  await_other_lanes(operation);
  const bool is_timed = timing == Timing::operations;
  if (is_timed) prepared_[operation].begin->record();
  const bool is_left_out = prepared_[operation].is_kernel && ends_.failed();
  if (!is_left_out) start(operation, state);
  if (is_timed) prepared_[operation].end->record();
  ends_.mark(operation);
}

void StepRunner::await_other_lanes(std::size_t operation) {
  for (OperationIndex other : schedule_.operations[operation].depends_on) {
    const auto earlier = static_cast<std::size_t>(other);
    if (lane_of(earlier) != lane_of(operation)) ends_.wait(earlier);
  }
}

}  // namespace cnnplan
