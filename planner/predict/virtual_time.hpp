// Walks the schedules of all ranks, or of one rank of each class, in virtual time.
#pragma once

#include <span>
#include <vector>

#include "planner/predict/meetings.hpp"
#include "planner/predict/price.hpp"
#include "planner/predict/rank_work.hpp"
#include "planner/schedule/representatives/rank_classes.hpp"

namespace cnnplan {

// Says whether kernels take the lower end of their range, their likely time, or the upper end.
enum class Estimate { low, likely, high };

// Says when one rank runs its operations, in seconds from the begin of the step.
struct RankTimeline {
  // A duration is the time from the end of the operation before it, with waiting. Communication
  // next to kernels counts from its own start. With several lanes, an operation counts from when
  // the rank can begin it. Durations are listed by operation.
  std::vector<double> durations_s;
  std::vector<double> ends_s;  // by operation
  double end_s = 0.0;          // when the last operation ends
  // This part of the step is not filled by the rank's kernels, loading and copies that stay on the
  // rank. It is communication and waiting for other ranks.
  double exposed_s = 0.0;
};

struct VirtualTimeOptions {
  Estimate estimate = Estimate::likely;
  double overlap = 0.0;  // part of the time of halos and reductions that does not stop the kernels
  // True: ranks vary in the times of equal kernels, so the last of them arrives later than the
  // mean. False: they take equally long, as with Estimate::low in any case.
  bool spreads = true;
  // The first operations begin after this time, in which the host starts and ends the step. It is
  // equal on all ranks.
  double begin_s = 0.0;
};

// Returns the part of communication that an executor of `plan` can hide on the platform. It is 0
// where one operation runs after the other.
double overlap_of(const Plan& plan, const Platform& platform);
// Returns how a step of `plan` runs on the platform and with the kernels of `prices`.
VirtualTimeOptions walk_options(const Plan& plan, const PriceList& prices);

// Returns one timeline for each entry of `work`, in its order: that of the representative of the
// class. Operations start in list order, when their dependencies have ended and their stream is
// free. A transfer or collective also waits for its partners. Without overlap, there is one stream,
// and each operation blocks the next. Lanes of kernels run at the same time. A rank that waits for
// another rank waits for the rank that is walked for its class. Nobody waits for a class without
// operations. So a walk of some classes alone takes no longer than a walk of all, if ranks do not
// differ in speed.
// @pre work[i].rank == classes.representatives()[i] unless work[i] has no operations, all of one
// plan, and 0 <= overlap <= 1. With overlap or lanes, operations name the operations that they wait
// for (Detail)
// @throws logic_error when the schedules wait for each other for ever
std::vector<RankTimeline> walk(std::span<const RankWork> work,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options = {});
std::vector<RankTimeline> walk(std::span<const PricedSchedule> schedules,
                               const RankClasses& classes,
                               const VirtualTimeOptions& options = {});

// Walks the same operations several times, and finds only once who meets whom. Several threads may
// walk at once.
class Walks {
 public:
  // Keeps references. @pre as for walk()
  Walks(std::span<const RankWork> work, const RankClasses& classes)
      : work_(work), meetings_(work, classes) {}

  std::vector<RankTimeline> operator()(const VirtualTimeOptions& options) const;
  // Walks with other prices than those of the work, by class.
  std::vector<RankTimeline> operator()(std::span<const IndexedVector<OperationIndex, Price>> prices,
                                       const VirtualTimeOptions& options) const;

 private:
  std::span<const RankWork> work_;
  Meetings meetings_;
};

// Returns the step time of the slowest rank.
double step_time_s(std::span<const RankTimeline> timelines);

}  // namespace cnnplan
