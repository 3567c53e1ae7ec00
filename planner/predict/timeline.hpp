// Says when every operation of a step runs on which ranks, for pictures and traces of the step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/predict/price.hpp"

namespace cnnplan {

struct TimelineOperation {
  std::string id;
  OperationLabel label{};
  Stream stream = Stream::compute;
};

// Says when ranks run an operation. They wait first, for data or for other ranks, and then work.
struct TimelineEvent {
  std::size_t operation = 0;  // an index of Timeline::operations
  int lane = 0;               // of kernels, as in Operation
  double start_s = 0.0;       // from the begin of the step
  double waiting_s = 0.0;
  double busy_s = 0.0;
  bool operator==(const TimelineEvent&) const = default;
};

// Holds what some ranks do in the step, all at the same times.
struct TimelineTrack {
  std::vector<int> ranks;             // ascending
  std::vector<TimelineEvent> events;  // in schedule order
};

// Says how much of the shared arena is in use from a time on.
struct MemoryPoint {
  double start_s = 0.0;
  std::int64_t arena_bytes = 0;
};

struct Timeline {
  double step_s = 0.0;
  std::vector<TimelineOperation> operations;  // each id once
  std::vector<TimelineTrack> tracks;          // ordered by their lowest ranks
  int memory_rank = 0;                        // a rank that needs most memory
  std::vector<MemoryPoint> memory;            // of that rank, ascending in time
};

// Lowers the plan for one rank of each class, and walks the schedules as predict() does.
// @pre validate(plan) holds
Timeline timeline_of(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
