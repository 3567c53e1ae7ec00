// One rank's operations as the walk in virtual time needs them, without what they compute: of the
// schedules of all ranks, a long network has far too many for each to stay.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// A transfer or a collective.
struct Meeting {
  std::size_t operation = 0;  // its place among those of the rank
  std::string id;
  std::variant<std::vector<int>, RankGroup> ranks;  // peers, or the group
  bool waits_for_others = false;                    // no copy that stays on the rank
};

struct RankWork {
  int rank = 0;
  std::vector<Price> prices;      // by operation
  std::vector<Stream> streams;    // by operation
  std::vector<int> lanes;         // by operation
  std::vector<Meeting> meetings;  // in their order
  // Of all operations one after the other, and by operation where its own end.
  std::vector<OperationIndex> dependencies;
  std::vector<std::size_t> dependency_ends;

  std::size_t size() const { return prices.size(); }
  // Those that an operation waits for.
  std::span<const OperationIndex> dependencies_of(std::size_t operation) const {
    const std::size_t begin = operation == 0 ? 0 : dependency_ends[operation - 1];
    return std::span(dependencies).subspan(begin, dependency_ends[operation] - begin);
  }
};
RankWork work_of(const PricedSchedule& priced);

}  // namespace cnnplan
