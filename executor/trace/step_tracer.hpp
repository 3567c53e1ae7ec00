// Records when this rank begins and ends each operation of some steps, and joins what all ranks
// recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/step/step_runner.hpp"
#include "executor/trace/clock_fit.hpp"
#include "executor/trace/trace_clock.hpp"
#include "planner/run/run.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {

// All ranks together record at most this number of operations, each as often as there are steps. A
// run file has two lines for each of them.
inline constexpr std::int64_t most_recorded_operations = 2'000'000;

// Traces steps of one schedule. Other steps are not affected.
class StepTracer {
 public:
  // Keeps references. This call is collective and blocks. @pre there are steps
  // @throws InfeasibleError, on all ranks, for more than most_recorded_operations
  StepTracer(const Range& steps,
             const TraceClock& clock,
             const Schedule& schedule,
             Device& device,
             const Communicator& world);

  bool traces(std::int64_t step) const { return steps_.begin <= step && step < steps_.end; }
  // Call these functions before all ranks begin a traced step together, when this rank begins it,
  // and after it. The first and the last are collective.
  void prepare();
  void begin();
  // @pre the step of `runner` was run with Timing::operations
  void end(const StepRunner& runner);
  // Fills `trace` of the report on rank 0. This call is collective and blocks.
  // @pre all traced steps were run, and the report has the operations of the schedule
  void summarize_into(RunReport& report) const;

 private:
  // Is a mark of the device, and when the device reached it.
  struct Mark {
    std::unique_ptr<Event> event;
    std::int64_t at_ns = 0;  // by the steady clock
  };

  Range steps_;
  TraceClock clock_;
  const Schedule& schedule_;
  Device& device_;
  const Communicator& world_;
  Mark origin_;  // the begin of the step
  Mark next_mark_;
  std::int64_t longest_mark_ns_ = 0;  // of those that became an origin
  std::int64_t recorded_steps_ = 0;
  std::vector<std::int64_t> times_;   // by this rank's clock: begin and end of each operation
  std::vector<ClockAnchor> first_{};  // on rank 0, by rank
  std::vector<ClockAnchor> last_{};
};

// @throws Error (usage) for steps that a training of the steps `trained` does not run
void require_traced_steps(const Range& traced, const Range& trained);

}  // namespace cnnplan
