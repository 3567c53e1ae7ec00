// Times curves for one size after the other, as long as there is time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "profiler/links_measure.hpp"
#include "profiler/repetition_timer.hpp"
#include "profiler/sweep_budget.hpp"

namespace cnnplan {

// Counts the sizes that are done. Only rank 0 reports them.
class ProgressCounter {
 public:
  ProgressCounter(const LinkOptions& options, bool reports, int total)
      : callback_(reports ? options.progress : nullptr), total_(total) {}

  void begin(const std::string& what) const {
    if (callback_) callback_({.what = what, .done = done_, .total = total_});
  }
  void end() { ++done_; }

 private:
  std::function<void(const LinkProgress&)> callback_;
  int total_;
  int done_ = 0;
};

using CurveRefs = std::vector<LinkCurve*>;

// Returns the curves to time at the next size. `has_time(round_s)` says if there is time for curves
// that took `round_s` together at their last sizes. Where there is no time for all, collectives are
// left out: first those that took more than 1.5 times as long as the fastest of the same kind, and
// then the halves of allreduces, for the sake of whole sums. If there is still no time, no curve is
// left. @pre all curves have samples
CurveRefs curves_with_time(const CurveRefs& curves,
                           const std::function<bool(double round_s)>& has_time);

// Times the sweeps of a measurement, which share its time budget, and shows the progress.
class CurveTimer {
 public:
  // Returns what is timed for a curve and a size.
  using BodyOf = std::function<TimedBody(LinkCurve& curve, std::int64_t bytes)>;

  // Keeps references to `options` and `progress`.
  CurveTimer(const LinkOptions& options, SweepBudget budget, ProgressCounter& progress)
      : options_(options), progress_(progress), budget_(std::move(budget)) {}

  // Adds samples to the curves, whose bodies take turns. Sizes for which there is no time are left
  // out, as curves_with_time() says. It is collective over `group`, whose ranks pass equal curves.
  void time(const Communicator& group, std::vector<LinkCurve>& curves, const BodyOf& body_of);

 private:
  void time_size(const Communicator& group,
                 std::int64_t bytes,
                 const CurveRefs& curves,
                 const BodyOf& body_of) const;

  const LinkOptions& options_;
  ProgressCounter& progress_;
  SweepBudget budget_;
};

// Returns the sizes that are timed: powers of two times the least one.
std::vector<std::int64_t> sizes_of(const LinkOptions& options);

}  // namespace cnnplan
