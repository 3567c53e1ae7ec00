// Which operations of a schedule must have ended before another starts.
#pragma once

#include <string>

#include "planner/schedule/schedule.hpp"

namespace cnnplan::test {

using Operations = IndexedVector<OperationIndex, Operation>;

// The transitive closure of `depends_on`.
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

// The first pair of operations of which one writes what the other uses and that may run at once, as
// text; empty when there is none.
std::string first_unordered_pair(const Operations& operations);

}  // namespace cnnplan::test
