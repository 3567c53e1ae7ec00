// Copies the blocks that were read ahead, and measures how long the steps waited for them.
#include "executor/data/prefetched_data.hpp"

#include <algorithm>
#include <utility>

#include "executor/backend/box_copy.hpp"

namespace cnnplan {
namespace {

TensorView view_of(BlockRead& block, std::int64_t element_bytes) {
  return view_of(block.elements.data(), block.box, block.box, element_bytes);
}

TensorView make_room(BlockRead& block, std::int64_t element_bytes) {
  block.elements.resize(volume(block.box) * element_bytes);
  return view_of(block, element_bytes);
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
      depth_(limits.threads),
      ahead_([this](BatchRead& read) { fill(read); }, limits.end) {}

void PrefetchedData::fill(BatchRead& batch) const {
  source_->read_samples(batch.step, make_room(batch.samples, bytes_of(sample_element_)));
  for (BlockRead& labels : batch.labels) {
    source_->read_labels(batch.step, make_room(labels, bytes_of(label_element_)));
  }
}

void PrefetchedData::read_samples(std::int64_t step, const TensorView& samples) {
  current_ = step;
  labels_.clear();
  if (is_empty(samples.box) || step >= end_) return source_->read_samples(step, samples);
  const Clock::time_point begin = Clock::now();
  BatchRead& batch = ahead_.wait_for(step, samples.box);
  take_time(begin);
  const std::exception_ptr error = batch.error;
  if (!error) {
    const TensorView read = view_of(batch.samples, bytes_of(sample_element_));
    copy_box(make_box_copy(samples, read, sample_element_));
    labels_ = std::move(batch.labels);
  }
  ahead_.release(batch);
  if (error) std::rethrow_exception(error);
}

// Records that the step waited from `begin` until now. The first step has no earlier one to measure
// from.
void PrefetchedData::take_time(Clock::time_point begin) {
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point end = Clock::now();
  const Clock::time_point last = std::exchange(last_, end);
  if (last == Clock::time_point{}) return;
  if (depth_.record(Seconds(end - begin).count(), Seconds(end - last).count())) ahead_.add_thread();
}

void PrefetchedData::read_labels(std::int64_t step, const TensorView& labels) {
  const auto kept = std::find_if(labels_.begin(), labels_.end(), [&](const BlockRead& block) {
    return block.box == labels.box;
  });
  if (step == current_ && kept != labels_.end()) {
    const TensorView read = view_of(*kept, bytes_of(label_element_));
    return copy_box(make_box_copy(labels, read, moved_as(label_element_)));
  }
  ahead_.add_labels(labels.box);
  source_->read_labels(step, labels);
}

}  // namespace cnnplan
