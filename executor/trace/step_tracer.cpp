// Marks the begin of a step for the device and by the clock, so that marks of the device get times.
#include "executor/trace/step_tracer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "executor/trace/gathered_ids.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// Returns the places of operations among all operations of the report.
std::vector<int> places_of(const std::vector<std::string>& ids,
                           const std::unordered_map<std::string_view, int>& places) {
  std::vector<int> own;
  for (const std::string& id : ids) own.push_back(places.at(id));
  return own;
}

void require_room(const Range& steps, const Schedule& schedule, const Communicator& world) {
  const std::array own{static_cast<double>(schedule.operations.size())};
  double operations = 0.0;
  for (const double of_rank : world.all_gather(own)) operations += of_rank;
  const double recorded = operations * static_cast<double>(steps.size());
  if (recorded <= static_cast<double>(most_recorded_operations)) return;
  throw InfeasibleError("operations of all ranks and traced steps; --trace-steps can name fewer",
                        static_cast<std::int64_t>(std::min(recorded, 1e18)),
                        most_recorded_operations);
}

// Returns the steps of a rank whose `times` are by the clock of rank 0.
std::vector<OperationTimes> steps_of(std::span<const std::int64_t> times,
                                     std::size_t steps,
                                     std::int64_t begin_ns) {
  std::vector<OperationTimes> result(steps);
  const std::size_t operations = times.size() / (2 * steps);
  for (std::size_t i = 0; i < steps * operations; ++i) {
    OperationTimes& step = result[i / operations];
    step.begin_ns.push_back(times[2 * i] - begin_ns);
    step.duration_ns.push_back(std::max<std::int64_t>(0, times[2 * i + 1] - times[2 * i]));
  }
  return result;
}

// Returns the first time of all ranks.
std::int64_t begin_of(const std::vector<std::vector<std::int64_t>>& times) {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& own : times) {
    for (const std::int64_t time : own) begin_ns = std::min(begin_ns, time);
  }
  return begin_ns;
}

}  // namespace

StepTracer::StepTracer(const Range& steps,
                       const TraceClock& clock,
                       const Schedule& schedule,
                       Device& device,
                       const Communicator& world)
    : steps_(steps),
      clock_(clock),
      schedule_(schedule),
      device_(device),
      world_(world),
      origin_{.event = device.make_event()},
      next_mark_{.event = device.make_event()} {
  require_room(steps, schedule, world);
  times_.reserve(2 * steps.size() * schedule.operations.size());
}

void StepTracer::prepare() {
  if (recorded_steps_ == 0) first_ = measure_anchors(world_, clock_);
}

// The device reaches the mark between the two readings of the clock. The fastest of some marks
// counts, because a thread may lose its core between the readings.
void StepTracer::begin() {
  constexpr int tries = 5;
  device_.select(Queue::compute);
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < tries; ++i) {
    const std::int64_t before_ns = TraceClock::steady_ns();
    next_mark_.event->record();
    next_mark_.event->synchronize();
    const std::int64_t passed_ns = TraceClock::steady_ns() - before_ns;
    if (passed_ns >= least_ns) continue;
    least_ns = passed_ns;
    next_mark_.at_ns = before_ns + passed_ns / 2;
    std::swap(origin_, next_mark_);
  }
  longest_mark_ns_ = std::max(longest_mark_ns_, least_ns);
}

void StepTracer::end(const StepRunner& runner) {
  constexpr double ns_per_s = 1e9;
  for (const OperationIndex i : schedule_.operations.indices()) {
    const MarkedTimes marked = runner.marked_times(i, *origin_.event);
    for (const double seconds : {marked.begin_s, marked.end_s}) {
      times_.push_back(clock_.shown_ns(origin_.at_ns + std::llround(ns_per_s * seconds)));
    }
  }
  if (++recorded_steps_ == steps_.size()) last_ = measure_anchors(world_, clock_);
}

void StepTracer::summarize_into(RunReport& report) const {
  const auto ids = gather_ids(schedule_, world_);
  auto times = world_.gather(std::span<const std::int64_t>(times_), 0);
  const auto marks_ns = world_.gather(std::span(&longest_mark_ns_, 1), 0);
  if (world_.rank() != 0) return;
  const auto places = places_by_id(report);
  MeasuredSteps trace{.first_step = steps_.begin};
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    const ClockFit fit(first_[rank], last_[rank]);
    for (std::int64_t& time : times[rank]) time = fit.common_ns(time);
    RankClock clock = fit.summary();
    clock.round_trip_s += 1e-9 * static_cast<double>(marks_ns[rank].front());
    trace.ranks.push_back({.clock = clock, .operations = places_of(ids[rank], places)});
  }
  const std::int64_t begin_ns = begin_of(times);
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    trace.ranks[rank].steps = steps_of(times[rank], steps_.size(), begin_ns);
  }
  report.trace = std::move(trace);
}

void require_traced_steps(const Range& traced, const Range& trained) {
  if (trained.begin <= traced.begin && traced.end <= trained.end) return;
  const auto text = [](const Range& steps) {
    return std::to_string(steps.begin) + ":" + std::to_string(steps.end);
  };
  throw Error(
      ExitCode::usage,
      "--trace-steps " + text(traced) + ": not trained here; the steps are " + text(trained));
}

}  // namespace cnnplan
