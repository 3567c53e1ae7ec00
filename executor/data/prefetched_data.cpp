// Hands slots between the reading threads and the steps; the state of a slot says who owns it.
#include "executor/data/prefetched_data.hpp"

#include <algorithm>
#include <utility>

#include <sched.h>

#include "executor/backend/box_copy.hpp"

namespace cnnplan {
namespace {

// Labels are copied as numbers of equal size.
ElementType moved_as(BufferElement element) {
  return element == BufferElement::int32 ? ElementType::fp32 : element_type(element);
}

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

PrefetchedData::PrefetchedData(std::unique_ptr<DataSource> source,
                               const BatchShape& batch,
                               const PrefetchLimits& limits)
    : source_(std::move(source)),
      sample_element_(activation_element(batch.precision)),
      label_element_(batch.has_targets ? buffer_element(parameter_element(batch.precision))
                                       : BufferElement::int32),
      end_(limits.end),
      depth_(limits.threads) {}

PrefetchedData::~PrefetchedData() {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// @pre the mutex is held
void PrefetchedData::add_thread() {
  Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
  threads_.emplace_back([this, &slot] { work(slot); });
}

void PrefetchedData::work(Slot& slot) {
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
    lock.unlock();
    fill(slot);
    lock.lock();
    slot.state = State::ready;
    changed_.notify_all();
  }
}

void PrefetchedData::fill(Slot& slot) {
  const auto view = [](Block& block, std::int64_t element_bytes) {
    block.elements.resize(static_cast<std::size_t>(volume(block.box) * element_bytes));
    return view_of(block.elements.data(), block.box, block.box, element_bytes);
  };
  try {
    source_->read_samples(slot.step, view(slot.samples, bytes_of(sample_element_)));
    for (Block& labels : slot.labels) {
      source_->read_labels(slot.step, view(labels, bytes_of(label_element_)));
    }
    slot.error = nullptr;
  } catch (...) {
    slot.error = std::current_exception();
  }
}

PrefetchedData::Slot* PrefetchedData::find(std::int64_t step) {
  for (const auto& slot : slots_) {
    if (slot->state != State::free && slot->step == step) return slot.get();
  }
  return nullptr;
}

// Returns true when some thread has, reads or is about to read this step, and none handles an
// earlier step.
bool PrefetchedData::is_next(std::int64_t step) const {
  std::int64_t first = next_;
  for (const auto& slot : slots_) {
    if (slot->state != State::free) first = std::min(first, slot->step);
  }
  return first == step;
}

void PrefetchedData::begin_anew(std::int64_t step,
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
  if (threads_.empty()) add_thread();
  changed_.notify_all();
}

PrefetchedData::Slot& PrefetchedData::wait_for(std::int64_t step,
                                               const Box& samples,
                                               std::unique_lock<std::mutex>& lock) {
  if (samples != samples_box_ || !is_next(step)) begin_anew(step, samples, lock);
  Slot* slot = nullptr;
  changed_.wait(lock, [&] {
    slot = find(step);
    return slot != nullptr && slot->state == State::ready;
  });
  return *slot;
}

void PrefetchedData::read_samples(std::int64_t step, const TensorView& samples) {
  current_ = step;
  labels_.clear();
  if (is_empty(samples.box) || step >= end_) return source_->read_samples(step, samples);
  std::unique_lock lock(mutex_);
  const Clock::time_point begin = Clock::now();
  Slot& slot = wait_for(step, samples.box, lock);
  take_time(begin);
  const std::exception_ptr error = slot.error;
  if (!error) {
    lock.unlock();
    const TensorView read =
        view_of(slot.samples.elements.data(), samples.box, samples.box, bytes_of(sample_element_));
    copy_box(make_box_copy(samples, read, sample_element_));
    lock.lock();
    labels_ = std::move(slot.labels);
  }
  slot.state = State::free;
  changed_.notify_all();
  if (error) std::rethrow_exception(error);
}

// The step waited from `begin` until now. The first step has no earlier one to measure from.
// @pre the mutex is held
void PrefetchedData::take_time(Clock::time_point begin) {
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point end = Clock::now();
  const Clock::time_point last = std::exchange(last_, end);
  if (last == Clock::time_point{}) return;
  if (depth_.record(Seconds(end - begin).count(), Seconds(end - last).count())) add_thread();
}

void PrefetchedData::read_labels(std::int64_t step, const TensorView& labels) {
  const auto kept = std::find_if(
      labels_.begin(), labels_.end(), [&](const Block& block) { return block.box == labels.box; });
  if (step == current_ && kept != labels_.end()) {
    const TensorView read =
        view_of(kept->elements.data(), labels.box, labels.box, bytes_of(label_element_));
    return copy_box(make_box_copy(labels, read, moved_as(label_element_)));
  }
  {
    const std::scoped_lock lock(mutex_);
    const bool is_known =
        std::find(label_boxes_.begin(), label_boxes_.end(), labels.box) != label_boxes_.end();
    if (!is_known && !is_empty(labels.box)) label_boxes_.push_back(labels.box);
  }
  source_->read_labels(step, labels);
}

}  // namespace cnnplan
