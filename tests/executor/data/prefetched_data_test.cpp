// Tests that PrefetchedData gives what its source gives, in whatever order steps are requested.
#include "executor/data/prefetched_data.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/executor/data/block_buffer.hpp"
#include "tests/executor/data/read_batch.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

const BatchShape shape{.samples = {{4, 2, 1, 3, 3}}, .labels = {{4, 1, 1, 1, 1}}, .classes = 5};
constexpr std::int64_t end = 20;

// Records the reads of a source.
struct Log {
  std::mutex mutex;
  std::multiset<std::int64_t> steps;  // whose samples were read
  std::atomic<int> reading = 0;
  std::atomic<int> most_reading = 0;
};

// Gives values that encode step and position. One step fails.
class NumberedData : public DataSource {
 public:
  NumberedData(Log& log, std::chrono::milliseconds delay, std::int64_t broken = -1)
      : log_(log), delay_(delay), broken_(broken) {}

  std::int64_t sample_count() const override { return 4 * end; }
  std::int64_t step_count() const override { return end; }
  std::int64_t valid_count(std::int64_t) const override { return 4; }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    const int others = log_.reading.fetch_add(1);
    log_.most_reading = std::max(log_.most_reading.load(), others + 1);
    {
      const std::scoped_lock lock(log_.mutex);
      log_.steps.insert(step);
    }
    std::this_thread::sleep_for(delay_);
    fill<float>(step, samples);
    --log_.reading;
    if (step == broken_) throw IoError("step " + std::to_string(step));
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    fill<std::int32_t>(step, labels);
  }

 private:
  template <typename T>
  static void fill(std::int64_t step, const TensorView& view) {
    for_each_index(view.box, [&](const Index& at) {
      std::int64_t offset = 0;
      std::int64_t number = step;
      for (Dim dim : all_dims) {
        const std::int64_t place = at[static_cast<std::size_t>(dim)];
        offset += (place - view.box[dim].begin) * view.stride(dim);
        number = 7 * number + place;
      }
      view.as<T>()[offset] = static_cast<T>(number);
    });
  }

  Log& log_;
  std::chrono::milliseconds delay_;
  std::int64_t broken_;
};

PrefetchedData prefetched(Log& log, int delay_ms = 0, int threads = 3, std::int64_t broken = -1) {
  return PrefetchedData(
      std::make_unique<NumberedData>(log, std::chrono::milliseconds(delay_ms), broken),
      shape,
      {.end = end, .threads = threads});
}

Box block(Range samples, std::int64_t channels, std::int64_t extent) {
  return {{{samples, {0, channels}, {0, 1}, {0, extent}, {0, extent}}}};
}

// Holds the blocks of a rank. The block of samples has a halo around it.
struct Blocks {
  Blocks(Range samples, std::int64_t halo)
      : data(block(samples, 2, 3), halo),
        labels(block(samples, 1, 1)),
        others(block({0, 4}, 1, 1)) {}
  BlockBuffer<float> data;
  BlockBuffer<std::int32_t> labels;
  BlockBuffer<std::int32_t> others;  // of a second loss
};

void check_step(PrefetchedData& source, std::int64_t step, Range samples, std::int64_t halo = 1) {
  CAPTURE(step);
  Log unused;
  NumberedData plain(unused, std::chrono::milliseconds(0));
  Blocks expected(samples, halo);
  Blocks found(samples, halo);
  plain.read_samples(step, expected.data.view());
  source.read_samples(step, found.data.view());
  for (const auto labels : {&Blocks::labels, &Blocks::others}) {
    plain.read_labels(step, (expected.*labels).view());
    source.read_labels(step, (found.*labels).view());
    CHECK(differences(found.*labels, expected.*labels) == 0);
  }
  CHECK(differences(found.data, expected.data) == 0);
  CHECK(found.data.untouched_count() == found.data.halo_count());
}

}  // namespace

TEST_CASE(
    "PrefetchedData: gives what the source gives, reads it once, and reads nothing after the end") {
  for (const int threads : {1, 3}) {
    Log log;
    {
      PrefetchedData source = prefetched(log, 1, threads);
      CHECK(source.sample_count() == 4 * end);
      for (std::int64_t step = 3; step < end; ++step) check_step(source, step, {1, 3});
    }
    CHECK(log.steps.size() == end - 3);
    CHECK(*log.steps.rbegin() == end - 1);
    CHECK(std::set<std::int64_t>(log.steps.begin(), log.steps.end()).size() == end - 3);
  }
}

TEST_CASE("PrefetchedData: any steps and blocks may be requested at any time") {
  Log log;
  PrefetchedData source = prefetched(log);
  for (const std::int64_t step : {0, 1, 2, 2, 3, 5, 6, 0, 1, 19, 20, 21, 4, 5}) {
    check_step(source, step, {0, 4});
  }
  for (const std::int64_t step : {6, 7, 8}) check_step(source, step, {2, 4});
  for (const std::int64_t step : {9, 10}) check_step(source, step, {0, 0});  // nothing is here
  for (const std::int64_t step : {11, 12}) check_step(source, step, {1, 2}, 0);
}

TEST_CASE("PrefetchedData: more threads read if one is too slow, up to the limit") {
  Log log;
  PrefetchedData source = prefetched(log, 3, 2);
  for (int pass = 0; pass < 3; ++pass) {
    for (std::int64_t step = 0; step < end; ++step) check_step(source, step, {0, 4});
  }
  CHECK(source.threads() == 2);
  CHECK(log.most_reading == 2);
  CHECK(source.waited_share() > 0.1);
}

TEST_CASE("PrefetchedData: an error comes with its step, and other steps are still read") {
  Log log;
  PrefetchedData source = prefetched(log, 0, 2, 4);
  for (const std::int64_t step : {2, 3}) check_step(source, step, {0, 4});
  Blocks blocks({0, 4}, 0);
  CHECK_THROWS_WITH_AS(source.read_samples(4, blocks.data.view()), "step 4", IoError);
  for (const std::int64_t step : {5, 6}) check_step(source, step, {0, 4});
}

TEST_CASE("PrefetchDepth: adds a thread after steps that waited, until that does not help") {
  const auto added = [](PrefetchDepth& depth, double wait_s) {
    int count = 0;
    for (int step = 0; step < 10; ++step) count += depth.record(wait_s, 1.0) ? 1 : 0;
    return count;
  };
  PrefetchDepth idle(4);
  CHECK(added(idle, 0.005) == 0);
  PrefetchDepth slow(4);
  CHECK(added(slow, 0.5) == 1);
  CHECK(added(slow, 0.25) == 1);
  CHECK(added(slow, 0.24) == 0);  // the third was in vain
  CHECK(added(slow, 0.1) == 0);
  CHECK(slow.threads() == 3);
  PrefetchDepth single(1);
  CHECK(added(single, 0.5) == 0);
  CHECK(single.waited_share() == relative(0.5, 1e-6));
}

}  // namespace cnnplan
