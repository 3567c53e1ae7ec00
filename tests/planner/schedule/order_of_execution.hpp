// Says which operations of a schedule must have ended before another one starts.
#pragma once

#include <string>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

using Operations = IndexedVector<OperationIndex, Operation>;

// Holds the transitive closure of `depends_on`.
class OrderOfExecution {
 public:
  explicit OrderOfExecution(const Operations& operations);
  // @pre earlier < later
  bool is_before(OperationIndex earlier, OperationIndex later) const {
    return before_[later][earlier];
  }

 private:
  using Row = IndexedVector<OperationIndex, bool>;

  IndexedVector<OperationIndex, Row> before_;
};

// Names the first two operations that may run at the same time although one writes what the other
// uses. The text is empty if there are none.
std::string first_unordered_pair(const Operations& operations);

}  // namespace cnnplan::test
