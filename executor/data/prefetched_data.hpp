// Reads mini-batches ahead in threads while earlier steps run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "executor/data/data_source.hpp"
#include "executor/data/prefetch_depth.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

struct PrefetchLimits {
  std::int64_t end = 0;  // steps from here on are not read ahead
  int threads = 1;       // maximum
};

// Reads ahead from another source, in as many threads as the steps turn out to need. Each thread
// prepares one mini-batch and keeps memory for it. Blocks, values and errors come from the source
// unchanged, whatever the threads do. Steps are expected one after the other; after any other step,
// reading ahead starts again.
class PrefetchedData : public DataSource {
 public:
  // `source` allows reads from several threads at once, and `batch` describes its mini-batches.
  PrefetchedData(std::unique_ptr<DataSource> source,
                 const BatchShape& batch,
                 const PrefetchLimits& limits);
  PrefetchedData(const PrefetchedData&) = delete;
  PrefetchedData& operator=(const PrefetchedData&) = delete;
  // Waits until the reads under way have ended.
  ~PrefetchedData() override;

  std::int64_t sample_count() const override { return source_->sample_count(); }
  std::int64_t step_count() const override { return source_->step_count(); }
  std::int64_t valid_count(std::int64_t step) const override { return source_->valid_count(step); }
  void read_samples(std::int64_t step, const TensorView& samples) override;
  void read_labels(std::int64_t step, const TensorView& labels) override;

  int threads() const { return depth_.threads(); }
  // Returns the share of the time from step to step that was spent waiting for data.
  double waited_share() const { return depth_.waited_share(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Block {
    Box box;
    std::vector<std::byte> elements;  // dense, channels-last
  };
  enum class State { free, reading, ready };
  // Holds the mini-batch that one thread prepares.
  struct Slot {
    State state = State::free;
    std::int64_t step = -1;
    Block samples;
    std::vector<Block> labels;
    std::exception_ptr error;
  };

  void add_thread();
  void work(Slot& slot);
  void fill(Slot& slot);
  Slot* find(std::int64_t step);
  bool is_next(std::int64_t step) const;
  void begin_anew(std::int64_t step, const Box& samples, std::unique_lock<std::mutex>& lock);
  Slot& wait_for(std::int64_t step, const Box& samples, std::unique_lock<std::mutex>& lock);
  void take_time(Clock::time_point begin);

  std::unique_ptr<DataSource> source_;
  ElementType sample_element_;
  BufferElement label_element_;
  std::int64_t end_;
  PrefetchDepth depth_;
  Clock::time_point last_{};   // when the previous step had its data
  std::int64_t current_ = -1;  // step whose samples were read last
  std::vector<Block> labels_;  // labels of the current step

  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  bool stops_ = false;
  std::int64_t next_ = 0;  // step that the next free thread reads
  Box samples_box_;
  std::vector<Box> label_boxes_;
  std::vector<std::unique_ptr<Slot>> slots_;  // one per thread
  std::vector<std::thread> threads_;
};

}  // namespace cnnplan
