// Says in which order the host finishes communication that it started.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Finishing blocks until the other ranks finish, too. So all ranks must finish the communication
// that they share in one order. The next kernels wait for prompt communication (halos, statistics).
// It is finished in the order in which it was started, and may overtake reductions. A reduction
// (gradients, the loss, gathered weights) is finished when it is needed or the next sum is under
// way. All earlier reductions and all prompt communication started until then are finished first.
// All ranks take part in all reductions and need each at the same place among their operations. So
// this is one order for all ranks, whatever else each of them does.
class FinishOrder {
 public:
  // Says whether kernels soon wait for an operation, as described above.
  enum class Urgency { prompt, reduction };

  // Call it when the operation was started, in the order in which operations start.
  void start(OperationIndex operation, Urgency urgency) { list(urgency).push_back(operation); }
  // Returns the operations to finish now so that `operation` is finished, which is the last of
  // them, and forgets them. Returns none if `operation` was not started.
  std::vector<OperationIndex> up_to(OperationIndex operation) {
    if (contains(prompt_, operation)) return take(prompt_, operation);
    if (!contains(reductions_, operation)) return {};
    std::vector<OperationIndex> order = std::move(prompt_);
    prompt_.clear();
    const std::vector<OperationIndex> reductions = take(reductions_, operation);
    order.insert(order.end(), reductions.begin(), reductions.end());
    return order;
  }
  // Returns all prompt communication and then the reductions before `reduction`, and forgets them.
  // Returns none if there is no reduction before it. @pre no reduction was started after it
  std::vector<OperationIndex> before(OperationIndex reduction) {
    const auto place = std::find(reductions_.begin(), reductions_.end(), reduction);
    if (place == reductions_.begin() || place == reductions_.end()) return {};
    return up_to(*std::prev(place));
  }
  // Returns all operations that were started, and forgets them.
  std::vector<OperationIndex> all() {
    std::vector<OperationIndex> order = std::move(prompt_);
    order.insert(order.end(), reductions_.begin(), reductions_.end());
    prompt_.clear();
    reductions_.clear();
    return order;
  }

 private:
  using List = std::vector<OperationIndex>;

  List& list(Urgency urgency) { return urgency == Urgency::prompt ? prompt_ : reductions_; }
  static bool contains(const List& list, OperationIndex operation) {
    return std::find(list.begin(), list.end(), operation) != list.end();
  }
  static List take(List& list, OperationIndex last) {
    const auto end = std::find(list.begin(), list.end(), last) + 1;
    List taken(list.begin(), end);
    list.erase(list.begin(), end);
    return taken;
  }

  List prompt_;
  List reductions_;
};

}  // namespace cnnplan
