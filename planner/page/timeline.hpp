// Says what ranks do when in a step, and how memory runs, for the picture of the step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/predict/memory_timeline.hpp"
#include "planner/predict/predicted_spans.hpp"

namespace cnnplan {

struct TimelineOperation {
  std::string id;
  OperationLabel label{};
  Stream stream = Stream::compute;
};

// Says when ranks run an operation.
struct TimelineEvent {
  std::size_t operation = 0;  // an index of Timeline::operations
  int lane = 0;               // of kernels, as in Operation
  OperationSpan span{};
  bool operator==(const TimelineEvent&) const = default;
};

// Holds what some ranks do in the step, all at the same times.
struct TimelineTrack {
  std::vector<int> ranks;             // ascending
  std::vector<TimelineEvent> events;  // in schedule order
};

struct Timeline {
  double step_s = 0.0;
  std::vector<TimelineOperation> operations;  // each id once
  std::vector<TimelineTrack> tracks;          // ordered by their lowest ranks
  MemoryTimeline memory;
};

// Walks the plan as predict() does. @pre validate(plan) holds
Timeline timeline_of(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
