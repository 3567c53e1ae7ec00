// Predicts a plan: walks all classes of ranks and joins their times, operations and memory.
#include "planner/predict/predict.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "planner/predict/critical_path.hpp"
#include "planner/predict/estimated_kernels.hpp"

namespace cnnplan {
namespace {

// Joins the operations of all ranks on the id. Those of rank 0 come first, in its order.
class Joined {
 public:
  explicit Joined(const Network& network) : network_(network) {}
  // Adds an operation of `count` ranks that do equal work. One of these ranks may be on the
  // critical path. Keeps a view of the id.
  void add(const LabelledId& named, const PredictedOperation& operation, int count) {
    const auto [entry, is_new] = index_.try_emplace(named.id, operations_.size());
    if (is_new) {
      operations_.push_back({.id = named.id, .place = place_of(named.label, network_)});
      counts_.push_back(0);
    }
    PredictedOperation& joined = operations_[entry->second];
    joined.predicted_s += operation.predicted_s * count;
    joined.critical_s += operation.critical_s;
    joined.estimated = joined.estimated || operation.estimated;
    counts_[entry->second] += count;
  }
  std::vector<PredictedOperation> means() && {
    for (std::size_t i = 0; i < operations_.size(); ++i) operations_[i].predicted_s /= counts_[i];
    return std::move(operations_);
  }

 private:
  const Network& network_;
  std::unordered_map<std::string_view, std::size_t> index_;
  std::vector<PredictedOperation> operations_;
  std::vector<int> counts_;
};

// Holds what a prediction says about one rank's operations, besides their times.
struct Told {
  IndexedVector<OperationIndex, LabelledId> operations;
  std::set<KernelSpec> estimated_kernels;
  std::set<KernelSpec> convolutions;
};

// A plan's work, and what the prediction says about it, by class.
struct ToldWork {
  PlanWork work;
  std::vector<Told> told;
};

Told told_of(const PricedSchedule& priced) {
  Told told;
  const auto& operations = priced.schedule.operations;
  for (const OperationIndex i : operations.indices()) {
    told.operations.push_back({.id = operations[i].id, .label = operations[i].label});
    const auto* kernel = std::get_if<KernelOperation>(&operations[i].body);
    if (kernel == nullptr) continue;
    const bool is_convolution = kernel->spec.kind == KernelKind::convolution;
    if (is_convolution) told.convolutions.insert(canonical(kernel->spec));
    if (priced.prices[i].estimated) told.estimated_kernels.insert(canonical(kernel->spec));
  }
  return told;
}

// Sorts by class and operation.
void sort(std::vector<CriticalOperation>& path) {
  std::sort(path.begin(), path.end(), [](const CriticalOperation& a, const CriticalOperation& b) {
    return std::pair(a.rank_class, a.operation) < std::pair(b.rank_class, b.operation);
  });
}

// Fills the fields of the prediction that come from single operations.
void add_operations(const Network& network,
                    const ToldWork& all,
                    std::span<const RankTimeline> timelines,
                    std::vector<CriticalOperation> path,
                    Prediction& prediction) {
  const RankClasses& classes = all.work.classes;
  sort(path);
  auto critical = path.begin();
  Joined joined(network);
  EstimatedKernels estimated;
  double exposed_s = 0.0;
  for (std::size_t i = 0; i < all.told.size(); ++i) {
    const Told& told = all.told[i];
    const int ranks = classes.sizes()[i];
    for (const OperationIndex j : told.operations.indices()) {
      PredictedOperation operation{.predicted_s = timelines[i].durations_s[j],
                                   .estimated = all.work.ranks[i].prices[j].estimated};
      if (critical != path.end() && critical->rank_class == i && critical->operation == j) {
        operation.critical_s = (critical++)->seconds;
      }
      joined.add(told.operations[j], operation, ranks);
    }
    for (const KernelSpec& spec : told.estimated_kernels) estimated.add(spec);
    exposed_s += timelines[i].exposed_s * ranks;
  }
  prediction.operations = std::move(joined).means();
  prediction.exposed_communication_s = exposed_s / classes.rank_count();
  estimated.list_in(prediction);
}

std::map<std::string, std::string> implementations_of(std::span<const Told> told,
                                                      const KernelCosts& kernels) {
  std::map<std::string, std::string> names;
  for (const Told& rank : told) {
    for (const KernelSpec& spec : rank.convolutions) {
      const std::string name = kernels.implementation(spec);
      if (!name.empty()) names.emplace(to_text(alone(spec)), name);
    }
  }
  return names;
}

void look_at_nothing(std::size_t /*index*/, const PricedSchedule& /*made*/) {}

ToldWork told_work_of(const Plan& plan,
                      RankClasses classes,
                      const PriceList& prices,
                      const LookAtClass& look) {
  std::vector<Told> told(classes.representatives().size());
  const auto tell = [&](std::size_t i, PricedSchedule& made) {
    told[i] = told_of(made);
    look(i, made);
  };
  PlanWork work = work_of(plan, std::move(classes), Detail::timed, prices, tell);
  return {.work = std::move(work), .told = std::move(told)};
}

ToldWork told_work_of(const Plan& plan, const PriceList& prices) {
  return told_work_of(plan, RankClasses::of(plan, prices.platform()), prices, look_at_nothing);
}

Prediction predict(const Plan& plan, const ToldWork& all, const PriceList& prices) {
  Prediction prediction = plan.prediction;
  const VirtualTimeOptions options = walk_options(plan, prices);
  const Walks walks(all.work.ranks, all.work.classes);
  const auto walked = [&](Estimate estimate) {
    VirtualTimeOptions own = options;
    own.estimate = estimate;
    return walks(own);
  };
  const auto timelines = walked(Estimate::likely);
  prediction.step_s = step_time_s(timelines);
  prediction.low_s = step_time_s(walked(Estimate::low));
  prediction.high_s = step_time_s(walked(Estimate::high));
  add_operations(plan.network,
                 all,
                 timelines,
                 critical_path(all.work.ranks, all.work.classes, timelines, options),
                 prediction);
  prediction.memory = all.work.memory;
  return prediction;
}

}  // namespace

PricedPlan lower_and_price(const Plan& plan,
                           RankClasses classes,
                           const PriceList& prices,
                           Detail detail) {
  PricedPlan result{.classes = std::move(classes), .schedules = {}};
  const std::vector<int>& ranks = result.classes.representatives();
  result.schedules.resize(ranks.size());
  lower_each(plan, ranks, {.detail = detail}, [&](std::size_t i, Schedule schedule) {
    result.schedules[i] = priced(std::move(schedule), prices);
  });
  return result;
}

PricedPlan lower_and_price(const Plan& plan, const PriceList& prices) {
  return lower_and_price(plan, RankClasses::of(plan, prices.platform()), prices);
}

std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options) {
  return walk(priced.schedules, priced.classes, options);
}

Prediction predict(const Plan& plan,
                   RankClasses classes,
                   const PriceList& prices,
                   const LookAtClass& look) {
  return predict(plan, told_work_of(plan, std::move(classes), prices, look), prices);
}

Prediction predict(const Plan& plan, RankClasses classes, const PriceList& prices) {
  return predict(plan, std::move(classes), prices, look_at_nothing);
}

Prediction predict(const Plan& plan, const PriceList& prices) {
  return predict(plan, told_work_of(plan, prices), prices);
}

Plan with_prediction(Plan plan, const PriceList& prices) {
  const ToldWork all = told_work_of(plan, prices);
  plan.prediction = predict(plan, all, prices);
  plan.implementations = implementations_of(all.told, prices.kernels());
  return plan;
}

}  // namespace cnnplan
