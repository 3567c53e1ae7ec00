// Says which operations of a schedule must have ended before another one starts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

// Holds the transitive closure of `depends_on`.
class OrderOfExecution {
 public:
  explicit OrderOfExecution(const std::vector<Operation>& operations);
  // @pre earlier < later
  bool is_before(std::size_t earlier, std::size_t later) const { return before_[later][earlier]; }

 private:
  std::vector<std::vector<bool>> before_;  // by operation
};

// Names the first two operations that may run at the same time although one writes what the other
// uses. The text is empty if there are none.
std::string first_unordered_pair(const std::vector<Operation>& operations);

}  // namespace cnnplan::test
