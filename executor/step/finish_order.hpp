// In which order the host finishes communication that it started.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace cnnplan {

// Finishing blocks until the other ranks do the same, so all ranks must finish what they share in
// one order. Prompt communication (halos, statistics) is what the next kernels wait for: it is
// finished in the order in which it was started, and past reductions. A reduction (gradients, the
// loss, weights that are gathered) is finished when it is needed or the next sum is under way,
// after all prompt communication that was started before that, and after earlier reductions. All
// ranks take part in all reductions and need each at the same place among their operations, so this
// is one order for all, whatever each of them has to do beside.
class FinishOrder {
 public:
  enum class Urgency { prompt, reduction };

  void start(std::size_t operation, Urgency urgency) { list(urgency).push_back(operation); }
  // What is to be finished now so that `operation` is, itself last; forgotten here. Empty where it
  // was not started.
  std::vector<std::size_t> up_to(std::size_t operation) {
    if (contains(prompt_, operation)) return take(prompt_, operation);
    if (!contains(reductions_, operation)) return {};
    std::vector<std::size_t> order = std::move(prompt_);
    prompt_.clear();
    const std::vector<std::size_t> reductions = take(reductions_, operation);
    order.insert(order.end(), reductions.begin(), reductions.end());
    return order;
  }
  // The same for the reductions before `reduction`. @pre no other was started since
  std::vector<std::size_t> before(std::size_t reduction) {
    const auto place = std::find(reductions_.begin(), reductions_.end(), reduction);
    if (place == reductions_.begin() || place == reductions_.end()) return {};
    return up_to(*std::prev(place));
  }
  // The same for everything.
  std::vector<std::size_t> all() {
    std::vector<std::size_t> order = std::move(prompt_);
    order.insert(order.end(), reductions_.begin(), reductions_.end());
    prompt_.clear();
    reductions_.clear();
    return order;
  }

 private:
  using List = std::vector<std::size_t>;

  List& list(Urgency urgency) { return urgency == Urgency::prompt ? prompt_ : reductions_; }
  static bool contains(const List& list, std::size_t operation) {
    return std::find(list.begin(), list.end(), operation) != list.end();
  }
  static List take(List& list, std::size_t last) {
    const auto end = std::find(list.begin(), list.end(), last) + 1;
    List taken(list.begin(), end);
    list.erase(list.begin(), end);
    return taken;
  }

  List prompt_;
  List reductions_;
};

}  // namespace cnnplan
