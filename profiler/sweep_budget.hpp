// Divides the time that a measurement may take among its sweeps over message sizes.
#pragma once

#include <functional>

#include "executor/comm/communicator.hpp"
#include "profiler/repetition_timer.hpp"

namespace cnnplan {

// A sweep times some functions, its bodies, for one size after the other. Each size takes about
// twice as long as the one before. Sweeps share the time by their bodies, and leave to later sweeps
// what they did not need. Rank 0 of a sweep decides for all its ranks, so it must take part in all
// sweeps.
class SweepBudget {
 public:
  // `all_bodies` counts the bodies of all sweeps. The time begins now.
  SweepBudget(double seconds, int all_bodies, std::function<double()> clock_s = now_s);

  // Begins a sweep of this number of bodies.
  void begin_sweep(int bodies);
  // Returns the seconds that all repetitions of the next size may take: a quarter of what the sweep
  // has left. This call is collective over the ranks of the sweep.
  double most_s(const Communicator& ranks) const;
  // True if the sweep has time to warm up and for the fewest repetitions of a size, for which all
  // its bodies take `round_s` together. This call is collective over the ranks of the sweep.
  bool has_time_for(double round_s, const Communicator& ranks) const;

 private:
  double left_s(const Communicator& ranks) const;

  std::function<double()> clock_s_;
  double end_s_;
  int bodies_left_;
  double sweep_end_s_ = 0.0;
};

}  // namespace cnnplan
