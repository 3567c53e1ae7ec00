// Reads the mini-batches of coming steps in threads, each of which reads one batch at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Holds a block of samples or labels of a mini-batch.
struct BlockRead {
  Box box;                          // global indices of the mini-batch
  std::vector<std::byte> elements;  // dense, channels-last
};

// Holds the blocks of one step, and the error if they could not be read.
struct BatchRead {
  std::int64_t step = -1;
  BlockRead samples;
  std::vector<BlockRead> labels;  // for each box of ReadAhead::add_labels()
  std::exception_ptr error;       // null if all blocks were read
};

// Reads the steps one after the other, and keeps memory for one batch per thread. A batch belongs
// to its thread while it is read, and to the caller from wait_for() to release().
class ReadAhead {
 public:
  // Reads the blocks of a batch, whose step and boxes are set. Several threads call it at once.
  using Fill = std::function<void(BatchRead& batch)>;

  // Steps from `end` on are not read. No thread runs before the first call of wait_for().
  ReadAhead(Fill fill, std::int64_t end) : fill_(std::move(fill)), end_(end) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  // Waits until the reads under way have ended.
  ~ReadAhead();

  // Waits for the batch of `step`, and returns it with its error, if any. Steps are expected in
  // order and with equal boxes; else reading starts again here. With another box of samples, the
  // boxes of add_labels() are forgotten.
  // @pre step < end, and release() was called for the batch before
  BatchRead& wait_for(std::int64_t step, const Box& samples);
  // Gives the memory of a batch back to its thread.
  void release(BatchRead& batch);
  // Batches that are begun from now on also have the labels of this box.
  void add_labels(const Box& box);
  // Starts one more thread, with memory for one more batch.
  void add_thread();

 private:
  enum class State { free, reading, ready };
  struct Slot : BatchRead {
    State state = State::free;
  };

  void start_thread();
  void work(Slot& slot);
  Slot* find(std::int64_t step);
  bool is_next(std::int64_t step) const;
  void begin_anew(std::int64_t step, const Box& samples, std::unique_lock<std::mutex>& lock);

  Fill fill_;
  std::int64_t end_;
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
