// Copies from a schedule what the walk in virtual time needs of each operation.
#include "planner/predict/rank_work.hpp"

#include <utility>

namespace cnnplan {
namespace {

Meeting meeting_of(const Operation& operation, OperationIndex index, int rank) {
  Meeting meeting{.operation = index, .id = operation.id, .ranks = {}};
  if (const auto* collective = std::get_if<CollectiveOperation>(&operation.body)) {
    meeting.ranks = collective->group;
    meeting.waits_for_others = waits_for_others(operation, {}, rank);
  } else {
    std::vector<int> others = peers(operation);
    meeting.waits_for_others = waits_for_others(operation, others, rank);
    meeting.ranks = std::move(others);
  }
  return meeting;
}

}  // namespace

RankWork work_of(const PricedSchedule& priced) {
  const auto& operations = priced.schedule.operations;
  RankWork work{.rank = priced.schedule.rank, .prices = priced.prices};
  work.streams.reserve(operations.size());
  work.lanes.reserve(operations.size());
  work.dependency_ends.reserve(operations.size());
  for (const OperationIndex i : operations.indices()) {
    const Operation& operation = operations[i];
    work.streams.push_back(operation.stream);
    work.lanes.push_back(operation.lane);
    work.dependencies.insert(
        work.dependencies.end(), operation.depends_on.begin(), operation.depends_on.end());
    work.dependency_ends.push_back(work.dependencies.size());
    if (is_communication(operation)) work.meetings.push_back(meeting_of(operation, i, work.rank));
  }
  return work;
}

}  // namespace cnnplan
