// Holds one rank's operations as the walk in virtual time needs them, without what they compute.
// The schedules of all ranks of a long network would need too much memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// Describes a transfer or a collective as one rank sees it.
struct Meeting {
  OperationIndex operation;
  std::string id;
  std::variant<std::vector<int>, RankGroup> ranks;  // peers, or the group
  bool waits_for_others = false;                    // false if no other rank takes part
};

// Holds the operations of one rank in the order of its schedule.
struct RankWork {
  int rank = 0;
  IndexedVector<OperationIndex, Price> prices;
  std::vector<Stream> streams;               // by operation
  std::vector<int> lanes;                    // by operation
  std::vector<Meeting> meetings;             // in their order
  std::vector<OperationIndex> dependencies;  // of all operations, one after the other
  std::vector<std::size_t> dependency_ends;  // by operation: where its dependencies end

  std::size_t size() const { return prices.size(); }
  // Returns the operations that an operation waits for.
  std::span<const OperationIndex> dependencies_of(OperationIndex operation) const {
    const std::size_t begin = operation == 0 ? 0 : dependency_ends[operation - 1];
    return std::span(dependencies).subspan(begin, dependency_ends[operation] - begin);
  }
};
// Returns the operations of a schedule. The result does not refer to the schedule.
RankWork work_of(const PricedSchedule& priced);

}  // namespace cnnplan
