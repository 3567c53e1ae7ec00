// Reads mini-batches ahead in threads while earlier steps run.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor/data/data_source.hpp"
#include "executor/data/prefetch_depth.hpp"
#include "executor/data/read_ahead.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Bounds what is read ahead.
struct PrefetchLimits {
  std::int64_t end = 0;  // steps from this one on are not read ahead
  int threads = 1;       // that may read ahead at most
};

// Reads ahead from another source, in as many threads as the steps turn out to need. Blocks, values
// and errors come from the source unchanged, whatever the threads do. Steps are expected one after
// the other; after any other step, reading ahead starts again.
class PrefetchedData : public DataSource {
 public:
  // `source` allows reads from several threads at once, and `batch` describes its mini-batches.
  PrefetchedData(std::unique_ptr<DataSource> source,
                 const BatchShape& batch,
                 const PrefetchLimits& limits);

  std::int64_t sample_count() const override { return source_->sample_count(); }
  std::int64_t step_count() const override { return source_->step_count(); }
  std::int64_t valid_count(std::int64_t step) const override { return source_->valid_count(step); }
  void read_samples(std::int64_t step, const TensorView& samples) override;
  void read_labels(std::int64_t step, const TensorView& labels) override;

  // Returns how many threads read ahead now.
  int threads() const { return depth_.threads(); }
  // Returns the share of the time from step to step that was spent waiting for data.
  double waited_share() const { return depth_.waited_share(); }

 private:
  using Clock = std::chrono::steady_clock;

  void fill(BatchRead& batch) const;
  void take_time(Clock::time_point begin);

  std::unique_ptr<DataSource> source_;
  ElementType sample_element_;
  BufferElement label_element_;
  std::int64_t end_;
  PrefetchDepth depth_;
  Clock::time_point last_{};       // when the previous step had its data
  std::int64_t current_ = -1;      // step whose samples were read last
  std::vector<BlockRead> labels_;  // labels of the current step
  ReadAhead ahead_;                // its threads use the members above
};

}  // namespace cnnplan
