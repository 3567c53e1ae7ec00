// Which way to write chunks for another core: through the caches or past them.
#pragma once

#include <array>
#include <cstddef>

namespace cnnplan {

// Cores that share a cache hand over `cached` data about twice as fast; between cores that do not,
// `streamed` data is about three times as fast.
enum class Store { cached, streamed };

// Chooses by what was measured on the way: both are tried in turn, then the faster one is taken,
// and now and then the other one is tried again, because ranks may move to other cores. The result
// of a pass is the same bits either way.
class StoreChoice {
 public:
  static constexpr int passes_between_trials = 64;

  // For the coming pass.
  Store next();
  // How long the pass took. The first one, which warms the memory up, does not count.
  void record(double s_per_byte);

 private:
  Store faster() const;

  std::array<double, 2> s_per_byte_{};  // by store; 0: not known
  Store current_ = Store::cached;
  int pass_ = 0;
};

}  // namespace cnnplan
