// Lowers the ranks of a plan in one go, or first the ranks that decide whether its step is too
// long.
#include "planner/predict/plan_work.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

Workspaces workspaces_of(const PricedSchedule& priced) {
  Workspaces workspaces{.shared = priced.shared_workspace, .device = priced.device};
  workspaces.bytes.reserve(priced.prices.size());
  for (const Price& price : priced.prices) workspaces.bytes.push_back(price.workspace_bytes);
  return workspaces;
}

// Where operations run at the same time, they also wait for operations that free their memory.
Detail detail_of(const Plan& plan, bool overlaps) {
  return overlaps || most_lanes(plan) > 1 ? Detail::timed : Detail::priced;
}

// Collects the work of a plan's classes. Of every rank, only what the walks need is kept.
class WorkCollector {
 public:
  // Keeps a reference.
  WorkCollector(RankClasses classes, const PriceList& prices)
      : prices_(prices), work_{.classes = std::move(classes)} {
    work_.ranks.resize(work_.classes.representatives().size());
    memory_.resize(work_.ranks.size());
  }

  // Several threads may call this function at once, each for a class of its own.
  void add(std::size_t rank_class, PricedSchedule& made) {
    work_.ranks[rank_class] = cnnplan::work_of(made);
  }

  // Also computes the memory, which a lowering for prices leaves open.
  void add_measured(std::size_t rank_class, PricedSchedule& made, Detail detail) {
    add(rank_class, made);
    const Platform& platform = prices_.platform();
    const MemoryLimit limit{.available_bytes = platform.memory_bytes,
                            .process_bytes = platform.process_bytes};
    const Workspaces workspaces = workspaces_of(made);
    MemoryUse& memory = memory_[rank_class];
    if (detail == Detail::priced) {
      memory = memory_within(limit, made.schedule, workspaces);
    } else {
      memory = memory_of(made.schedule, workspaces);
      memory.process_bytes = limit.process_bytes;
    }
  }

  const PlanWork& work() const { return work_; }
  // Returns the work of all classes that were added. The memory is 0 unless it was computed.
  PlanWork collected() && {
    work_.memory = most_of(memory_, prices_.platform().memory_bytes);
    return std::move(work_);
  }

 private:
  const PriceList& prices_;
  PlanWork work_;
  std::vector<MemoryUse> memory_;  // by class
};

// Returns the work without the memory.
PlanWork work_of(const Plan& plan, const LoweringRequest& request, const PriceList& prices) {
  WorkCollector collector(RankClasses::of(plan, prices.platform()), prices);
  const std::vector<int> ranks = collector.work().classes.representatives();
  lower_each(plan, ranks, request, [&](std::size_t i, Schedule schedule) {
    PricedSchedule made = priced(std::move(schedule), prices);
    collector.add(i, made);
  });
  return std::move(collector).collected();
}

// Returns all classes, first those of some ranks.
std::vector<int> classes_from(const std::vector<int>& first_ranks, const RankClasses& classes) {
  std::vector<int> order;
  std::vector<bool> is_known(static_cast<std::size_t>(classes.count()), false);
  const auto add = [&](int rank_class) {
    if (is_known[rank_class]) return;
    is_known[rank_class] = true;
    order.push_back(rank_class);
  };
  for (const int rank : first_ranks) {
    if (rank < classes.rank_count()) add(classes.class_of(rank));
  }
  for (int rank_class = 0; rank_class < classes.count(); ++rank_class) add(rank_class);
  return order;
}

// Returns how many classes are lowered before the step is bounded from below.
std::size_t first_part(std::size_t classes) {
  constexpr std::size_t parts = 4;
  return (classes + parts - 1) / parts;
}

// True if placing buffers takes time that a step alone does not need.
bool places_for_memory_only(const Plan& plan, const Platform& platform) {
  return detail_of(plan, plan.overlap) != detail_for_steps(plan, platform);
}

}  // namespace

Detail detail_for_steps(const Plan& plan, const Platform& platform) {
  return detail_of(plan, overlap_of(plan, platform) > 0.0);
}

std::vector<RankTimeline> walk(const PlanWork& work, const VirtualTimeOptions& options) {
  return walk(work.ranks, work.classes, options);
}

PlanWork work_of(const Plan& plan,
                 RankClasses classes,
                 Detail detail,
                 const PriceList& prices,
                 const LookAtClass& look) {
  WorkCollector collector(std::move(classes), prices);
  const std::vector<int> ranks = collector.work().classes.representatives();
  lower_each(plan, ranks, {.detail = detail}, [&](std::size_t i, Schedule schedule) {
    PricedSchedule made = priced(std::move(schedule), prices);
    collector.add_measured(i, made, detail);
    look(i, made);
  });
  return std::move(collector).collected();
}

PlanWork work_of(const Plan& plan, const PriceList& prices) {
  const auto ignore = [](std::size_t, const PricedSchedule&) {};
  return work_of(plan,
                 RankClasses::of(plan, prices.platform()),
                 detail_of(plan, plan.overlap),
                 prices,
                 ignore);
}

WalkedWork walked_work_of(const Plan& plan, const PriceList& prices) {
  WalkedWork found{.work = work_of(plan, prices), .timelines = {}};
  found.timelines = walk(found.work, walk_options(plan, prices));
  return found;
}

std::optional<WalkedWork> work_below(const Plan& plan,
                                     const StepLimit& limit,
                                     const PriceList& prices) {
  const Platform& platform = prices.platform();
  if (places_for_memory_only(plan, platform) && predicted_step_s(plan, prices) >= limit.seconds) {
    return std::nullopt;
  }
  const VirtualTimeOptions options = walk_options(plan, prices);
  const Detail detail = detail_of(plan, plan.overlap);
  WorkCollector collector(RankClasses::of(plan, platform), prices);
  const std::vector<int> order = classes_from(limit.slow_ranks, collector.work().classes);
  std::vector<int> ranks;
  for (const int rank_class : order) {
    ranks.push_back(collector.work().classes.representatives()[rank_class]);
  }
  const auto take = [&](std::size_t i, Schedule schedule) {
    PricedSchedule made = priced(std::move(schedule), prices);
    collector.add_measured(order[i], made, detail);
  };
  // Ranks differ in speed only by chance, and then wait longer.
  const auto may_be_below = [&] {
    VirtualTimeOptions least = options;
    least.spreads = false;
    return step_time_s(walk(collector.work(), least)) < limit.seconds;
  };
  const bool is_lowered = lower_each_while(
      plan, ranks, first_part(ranks.size()), {.detail = detail}, take, may_be_below);
  if (!is_lowered) return std::nullopt;
  WalkedWork found{.work = std::move(collector).collected(), .timelines = {}};
  found.timelines = walk(found.work, options);
  if (step_time_s(found.timelines) >= limit.seconds) return std::nullopt;
  return found;
}

double predicted_step_s(const Plan& plan, const PriceList& prices) {
  const Platform& platform = prices.platform();
  const PlanWork work = work_of(plan, {.detail = detail_for_steps(plan, platform)}, prices);
  return step_time_s(walk(work, walk_options(plan, prices)));
}

double predicted_inference_s(const Plan& plan, const PriceList& prices) {
  // Inference runs one operation after the other.
  const Detail detail = detail_of(plan, false);
  const PlanWork work = work_of(plan, {.pass = Pass::inference, .detail = detail}, prices);
  return step_time_s(walk(work, {.begin_s = prices.kernels().step_overhead_s()}));
}

}  // namespace cnnplan
