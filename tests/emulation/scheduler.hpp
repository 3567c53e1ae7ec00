// Keeps queues of work that run only when somebody needs their results.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "tests/emulation/device.hpp"
#include "tests/emulation/memory.hpp"

namespace cnnplan::emulation {

struct Queue;

struct Item {
  std::function<void()> work;                // empty: only marks a place in the queue
  std::function<bool()> ready;               // empty: runs without waiting for another process
  std::vector<std::shared_ptr<Item>> after;  // in other queues
  Queue* queue = nullptr;                    // null once done
  std::shared_ptr<Item> carrier;             // instead of a queue: the item that runs this one
  bool done = false;
  std::chrono::steady_clock::time_point finished;
};
using ItemPtr = std::shared_ptr<Item>;

struct Queue {
  std::deque<ItemPtr> items;
  ItemPtr last;           // null at first
  bool busy = false;      // its front runs
  bool detached = false;  // its stream is destroyed
};

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler() { drop(); }

  void reset(Schedule schedule, std::uint64_t seed);

  Queue* new_queue();
  // The work in the queue still runs.
  void detach(Queue* queue);
  // Puts the item at the end of the queue.
  void push(Queue* queue, const ItemPtr& item);
  // Runs the work before the item, and the item.
  void complete(ItemPtr item);
  void complete(Queue* queue);
  void complete_all();
  // Runs some of the work that can run, under a random schedule.
  void wander();
  // Runs work of other queues while an item waits for another process, as a device would.
  void progress();
  bool inside_work() const { return running_ > 0; }
  // Returns a random order of `count` steps in which each step comes after the steps that `before`
  // gives for it.
  std::vector<std::size_t> random_order(const std::vector<std::vector<std::size_t>>& before);

  static void mark_done(Item& item);

 private:
  void drop();
  void run_front(Queue& queue);
  static void run_work(const Item& item);
  bool can_run(const Queue& queue) const;
  bool coin() { return (random_() & 1U) != 0; }

  Schedule schedule_ = Schedule::lazy;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Queue>> queues_;
  int running_ = 0;
};

}  // namespace cnnplan::emulation
