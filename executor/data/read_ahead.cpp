// Hands slots between the reading threads and the steps; the state of a slot says who owns it.
#include "executor/data/read_ahead.hpp"

#include <algorithm>

#include <sched.h>

namespace cnnplan {
namespace {

// Launchers bind a rank to the cores that compute, where a reading thread would disturb them. The
// thread moves to the other cores that the node gives this program.
void leave_computing_cores() {
  cpu_set_t own;
  cpu_set_t others;
  CPU_ZERO(&others);
  if (sched_getaffinity(0, sizeof(own), &own) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &own)) CPU_SET(cpu, &others);
  }
  sched_setaffinity(0, sizeof(others), &others);  // the binding stays if there are no others
}

}  // namespace

ReadAhead::~ReadAhead() {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReadAhead::add_thread() {
  const std::scoped_lock lock(mutex_);
  start_thread();
}

// @pre the mutex is held
void ReadAhead::start_thread() {
  Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
  threads_.emplace_back([this, &slot] { work(slot); });
}

void ReadAhead::work(Slot& slot) {
  leave_computing_cores();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stops_ || (slot.state == State::free && next_ < end_); });
    if (stops_) return;
    slot.state = State::reading;
    slot.step = next_++;
    slot.samples.box = samples_box_;
    slot.labels.clear();
    for (const Box& box : label_boxes_) slot.labels.push_back({.box = box, .elements = {}});
    slot.error = nullptr;
    lock.unlock();
    try {
      fill_(slot);
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.lock();
    slot.state = State::ready;
    changed_.notify_all();
  }
}

ReadAhead::Slot* ReadAhead::find(std::int64_t step) {
  for (const auto& slot : slots_) {
    if (slot->state != State::free && slot->step == step) return slot.get();
  }
  return nullptr;
}

// Returns true when some thread has, reads or is about to read this step, and none handles an
// earlier step.
bool ReadAhead::is_next(std::int64_t step) const {
  std::int64_t first = next_;
  for (const auto& slot : slots_) {
    if (slot->state != State::free) first = std::min(first, slot->step);
  }
  return first == step;
}

void ReadAhead::begin_anew(std::int64_t step,
                           const Box& samples,
                           std::unique_lock<std::mutex>& lock) {
  next_ = end_;
  changed_.wait(lock, [&] {
    return std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) {
      return slot->state == State::reading;
    });
  });
  for (const auto& slot : slots_) slot->state = State::free;
  if (samples != samples_box_) label_boxes_.clear();
  samples_box_ = samples;
  next_ = step;
  if (threads_.empty()) start_thread();
  changed_.notify_all();
}

BatchRead& ReadAhead::wait_for(std::int64_t step, const Box& samples) {
  std::unique_lock lock(mutex_);
  if (samples != samples_box_ || !is_next(step)) begin_anew(step, samples, lock);
  Slot* slot = nullptr;
  changed_.wait(lock, [&] {
    slot = find(step);
    return slot != nullptr && slot->state == State::ready;
  });
  return *slot;
}

void ReadAhead::release(BatchRead& batch) {
  {
    const std::scoped_lock lock(mutex_);
    static_cast<Slot&>(batch).state = State::free;
  }
  changed_.notify_all();
}

void ReadAhead::add_labels(const Box& box) {
  const std::scoped_lock lock(mutex_);
  const bool is_known =
      std::find(label_boxes_.begin(), label_boxes_.end(), box) != label_boxes_.end();
  if (!is_known && !is_empty(box)) label_boxes_.push_back(box);
}

}  // namespace cnnplan
