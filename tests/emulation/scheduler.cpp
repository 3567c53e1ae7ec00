// Runs queued work in an order that streams and events allow.
#include "tests/emulation/scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {
namespace {

bool is_done(const ItemPtr& item) {
  return item->done || (item->carrier && item->carrier->done);
}

}  // namespace

void Scheduler::reset(Schedule schedule, std::uint64_t seed) {
  schedule_ = schedule;
  random_.seed(seed);
  drop();
}

// Items may refer to each other.
void Scheduler::drop() {
  for (const auto& queue : queues_) {
    for (const ItemPtr& item : queue->items) mark_done(*item);
  }
  queues_.clear();
}

Queue* Scheduler::new_queue() {
  std::erase_if(queues_, [](const auto& queue) { return queue->detached && queue->items.empty(); });
  return queues_.emplace_back(std::make_unique<Queue>()).get();
}

void Scheduler::detach(Queue* queue) {
  queue->detached = true;
}

void Scheduler::push(Queue* queue, const ItemPtr& item) {
  item->queue = queue;
  queue->items.push_back(item);
  queue->last = item;
  if (schedule_ == Schedule::eager) complete(item);
}

void Scheduler::complete(ItemPtr item) {
  if (item->carrier) item = item->carrier;
  const OpenMemory open(machine().memory);
  while (!item->done) {
    if (item->queue->items.front() != item) wander();
    if (!item->done) run_front(*item->queue);
  }
}

void Scheduler::complete(Queue* queue) {
  while (!queue->items.empty()) complete(queue->items.back());
}

void Scheduler::complete_all() {
  for (std::size_t i = 0; i < queues_.size(); ++i) complete(queues_[i].get());
}

void Scheduler::run_front(Queue& queue) {
  const ItemPtr item = queue.items.front();
  const std::vector<ItemPtr> after = item->after;  // the item may run, and forget it, meanwhile
  for (const ItemPtr& before : after) {
    if (!is_done(before)) complete(before);
  }
  if (item->done) return;
  ++running_;
  queue.busy = true;
  run_work(*item);
  queue.busy = false;
  --running_;
  queue.items.pop_front();
  mark_done(*item);
}

void Scheduler::run_work(const Item& item) {
  Machine& all = machine();
  if (all.sticky != cudaSuccess || !item.work) return;
  if (const int error = all.injections.next("work"); error != 0) {
    all.sticky = static_cast<cudaError_t>(error);
    return;
  }
  try {
    item.work();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "emulation: work failed: %s\n", exception.what());
    if (all.sticky == cudaSuccess) all.sticky = cudaErrorLaunchFailure;
  }
  if (!all.memory.margins_are_untouched()) {
    std::fprintf(stderr, "emulation: work wrote beside an allocation\n");
    all.sticky = cudaErrorIllegalAddress;
  }
}

void Scheduler::mark_done(Item& item) {
  item.done = true;
  item.finished = std::chrono::steady_clock::now();
  item.work = nullptr;
  item.ready = nullptr;
  item.after.clear();
  item.queue = nullptr;
  item.carrier = nullptr;
}

bool Scheduler::can_run(const Queue& queue) const {
  if (queue.items.empty() || queue.busy) return false;
  const Item& front = *queue.items.front();
  return std::all_of(front.after.begin(), front.after.end(), is_done) &&
         (!front.ready || front.ready());
}

void Scheduler::wander() {
  if (schedule_ != Schedule::random || running_ > 0) return;
  while (!queues_.empty() && coin()) {
    Queue& queue = *queues_[random_() % queues_.size()];
    if (!can_run(queue)) continue;
    const OpenMemory open(machine().memory);
    run_front(queue);
  }
}

void Scheduler::progress() {
  for (const auto& queue : queues_) {
    if (can_run(*queue)) run_front(*queue);
  }
}

std::vector<std::size_t> Scheduler::random_order(
    const std::vector<std::vector<std::size_t>>& before) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(before.size(), false);
  while (order.size() < before.size()) {
    std::vector<std::size_t> candidates;
    for (std::size_t step = 0; step < before.size(); ++step) {
      const bool free = std::all_of(before[step].begin(),
                                    before[step].end(),
                                    [&](std::size_t other) { return placed[other]; });
      if (!placed[step] && free) candidates.push_back(step);
    }
    order.push_back(candidates[random_() % candidates.size()]);
    placed[order.back()] = true;
  }
  return order;
}

}  // namespace cnnplan::emulation
