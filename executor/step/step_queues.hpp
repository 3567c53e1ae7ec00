// Chooses the queue of the device that each operation of a schedule uses.
#pragma once

#include <cstddef>

#include "executor/backend/device.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Returns the queue of a stream. `overlap` says whether streams overlap.
inline Queue queue_of(Stream stream, bool overlap) {
  if (!overlap) return Queue::compute;
  if (stream == Stream::halo) return Queue::halo;
  return stream == Stream::reduce ? Queue::reduce : Queue::compute;
}

// Kernels of lane 0 and communication use the queue of their stream where streams overlap, and the
// compute queue otherwise. Kernels of further lanes use a queue of their lane.
class StepQueues {
 public:
  // Keeps references to the schedule and the device. `overlap` says whether streams overlap.
  StepQueues(const Schedule& schedule, Device& device, bool overlap)
      : schedule_(schedule), device_(device), overlap_(overlap) {}

  bool overlap() const { return overlap_; }
  // True where operations use more than one queue.
  bool are_several() const { return overlap_ || schedule_.lanes > 1; }
  int lane_of(OperationIndex operation) const { return schedule_.operations[operation].lane; }
  // True where both operations use one queue.
  bool are_shared(OperationIndex one, OperationIndex other) const {
    return lane_of(one) == lane_of(other) && queue_of(one) == queue_of(other);
  }
  // Makes the queue of the operation the one that the device puts work in.
  void select(OperationIndex operation) {
    const int lane = lane_of(operation);
    lane > 0 ? device_.select_lane(lane) : select_stream(operation);
  }
  // Selects the queue of the operation's stream, whatever its lane.
  void select_stream(OperationIndex operation) { device_.select(queue_of(operation)); }

 private:
  Queue queue_of(OperationIndex operation) const {
    return cnnplan::queue_of(schedule_.operations[operation].stream, overlap_);
  }

  const Schedule& schedule_;
  Device& device_;
  bool overlap_;
};

}  // namespace cnnplan
