// Tests of executor/step/finish_order.
#include "executor/step/finish_order.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

using List = std::vector<OperationIndex>;
using Urgency = FinishOrder::Urgency;

// A step of some communication: it is started, later an operation waits for it.
struct Event {
  OperationIndex operation;
  bool starts = true;
};

// A random schedule, in which everything is waited for after its start.
std::vector<Event> random_events(int count, std::mt19937& random) {
  std::vector<Event> events;
  List open;
  for (OperationIndex next(0); next < count || !open.empty();) {
    const bool starts = next < count && (open.empty() || random() % 2 == 0);
    if (starts) {
      events.push_back({next, true});
      open.push_back(next++);
    } else {
      const std::size_t at = random() % open.size();
      events.push_back({open[at], false});
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return events;
}

bool is_reduction(OperationIndex operation) {
  return operation % 3 == 0;
}

// Finishes those before it.
bool is_sum(OperationIndex operation) {
  return operation % 6 == 0;
}

// In which order a rank finishes what it takes part in.
List finished(const std::vector<Event>& events, const std::vector<bool>& takes_part) {
  FinishOrder order;
  List all;
  const auto append = [&all](const List& part) { all.insert(all.end(), part.begin(), part.end()); };
  for (const Event& event : events) {
    if (!takes_part[event.operation]) continue;
    if (event.starts) {
      order.start(event.operation,
                  is_reduction(event.operation) ? Urgency::reduction : Urgency::prompt);
      if (is_sum(event.operation)) append(order.before(event.operation));
    } else {
      append(order.up_to(event.operation));
    }
  }
  append(order.all());
  return all;
}

List only(const List& operations, const std::vector<bool>& wanted) {
  List result;
  for (OperationIndex operation : operations) {
    if (wanted[operation]) result.push_back(operation);
  }
  return result;
}

}  // namespace

TEST_CASE("FinishOrder: a halo does not wait for a reduction that was started before it") {
  FinishOrder order;
  order.start(OperationIndex(1), Urgency::reduction);
  order.start(OperationIndex(2), Urgency::prompt);
  order.start(OperationIndex(3), Urgency::prompt);
  CHECK(order.up_to(OperationIndex(2)) == List{OperationIndex(2)});
  CHECK(order.up_to(OperationIndex(2)).empty());
  CHECK(order.up_to(OperationIndex(1)) == List{OperationIndex(3), OperationIndex(1)});
  CHECK(order.all().empty());
}

TEST_CASE("FinishOrder: reductions follow each other, and the rest at the end") {
  FinishOrder order;
  for (int operation : {1, 2, 3}) order.start(OperationIndex(operation), Urgency::reduction);
  order.start(OperationIndex(4), Urgency::prompt);
  CHECK(order.up_to(OperationIndex(2)) ==
        List{OperationIndex(4), OperationIndex(1), OperationIndex(2)});
  order.start(OperationIndex(5), Urgency::prompt);
  CHECK(order.all() == List{OperationIndex(5), OperationIndex(3)});
  CHECK(order.up_to(OperationIndex(7)).empty());
}

TEST_CASE("FinishOrder: when a reduction is under way, those before it are finished") {
  FinishOrder order;
  order.start(OperationIndex(1), Urgency::reduction);
  CHECK(order.before(OperationIndex(1)).empty());
  order.start(OperationIndex(2), Urgency::prompt);
  order.start(OperationIndex(3), Urgency::reduction);
  CHECK(order.before(OperationIndex(3)) == List{OperationIndex(2), OperationIndex(1)});
  CHECK(order.before(OperationIndex(3)).empty());
  CHECK(order.up_to(OperationIndex(3)) == List{OperationIndex(3)});
  CHECK(order.before(OperationIndex(3)).empty());
}

TEST_CASE("FinishOrder: everything is finished once") {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const auto count = static_cast<int>(1 + random() % 12);
    List all = finished(random_events(count, random), std::vector<bool>(count, true));
    std::sort(all.begin(), all.end());
    REQUIRE(std::ssize(all) == count);
    for (int operation = 0; operation < count; ++operation) CHECK(all[operation] == operation);
  }
}

TEST_CASE("FinishOrder: ranks finish what they share in one order") {
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    const auto count = static_cast<int>(2 + random() % 12);
    const std::vector<Event> events = random_events(count, random);
    // Of the exchanges, a rank has some, and waits for some of those only at the end.
    const auto rank = [&](std::vector<bool>& takes_part) {
      std::vector<Event> own;
      for (const Event& event : events) {
        const bool late = !event.starts && !is_reduction(event.operation) && random() % 3 == 0;
        if (!late) own.push_back(event);
      }
      for (OperationIndex operation(0); operation < count; ++operation) {
        takes_part.push_back(is_reduction(operation) || random() % 4 != 0);
      }
      return finished(own, takes_part);
    };
    std::vector<bool> in_first;
    std::vector<bool> in_second;
    const List first = rank(in_first);
    const List second = rank(in_second);
    CHECK(only(first, in_second) == only(second, in_first));
  }
}

}  // namespace cnnplan
