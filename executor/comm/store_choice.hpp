// Chooses how to write chunks for another core: through the caches or past them.
#pragma once

#include <array>
#include <cstddef>

namespace cnnplan {

// Says whether chunks are written through the caches, or past them by streaming stores. Between
// cores that share a cache, `cached` data arrives about twice as fast. Between other cores,
// `streamed` data is about three times as fast.
enum class Store { cached, streamed };

// Chooses by measured passes. It tries both stores and takes the faster one. Now and then it tries
// the other one again, because ranks may move to other cores. The store does not change the bits of
// a result.
class StoreChoice {
 public:
  // One of this number of passes tries the slower store again.
  static constexpr int passes_between_trials = 64;

  // Returns the store for the coming pass.
  Store next();
  // Takes the time per byte of the pass that next() began. The first pass warms up the memory and
  // does not count.
  void record(double s_per_byte);

 private:
  Store faster() const;

  std::array<double, 2> s_per_byte_{};  // by store; 0: not known
  Store current_ = Store::cached;
  int pass_ = 0;
};

}  // namespace cnnplan
