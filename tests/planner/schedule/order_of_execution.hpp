// Which operations of a schedule must have ended before another starts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

// The transitive closure of `depends_on`.
class OrderOfExecution {
 public:
  explicit OrderOfExecution(const std::vector<Operation>& operations);
  // @pre earlier < later
  bool is_before(std::size_t earlier, std::size_t later) const { return before_[later][earlier]; }

 private:
  std::vector<std::vector<bool>> before_;  // by operation
};

// The first pair of operations of which one writes what the other uses and that may run at once, as
// text; empty when there is none.
std::string first_unordered_pair(const std::vector<Operation>& operations);

}  // namespace cnnplan::test
