// Chooses allreduces by their prices, and takes only measured ones where some were measured.
#include "planner/search/plans/allreduce_choice.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "planner/cost/collectives.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/node_ranks.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {
namespace {

constexpr std::array at_once{CollectiveKind::allreduce};
constexpr std::array in_halves{CollectiveKind::reduce_scatter, CollectiveKind::allgather};

// Compares the prices of the allreduces over all ranks.
class AllreduceChoice {
 public:
  AllreduceChoice(const Platform& platform, const Plan& plan)
      : platform_(platform),
        links_(links_of(platform,
                        RankGroup(0, plan.ranks),
                        plan.ranks,
                        members_per_node(RankGroup(0, plan.ranks), plan.ranks_per_node))) {}

  bool is_any_measured() const {
    return std::ranges::any_of(all, [&](auto algorithm) { return is_measured(algorithm); });
  }

  // Returns `preferred`, unless another algorithm that may run takes less than 1/`times` of its
  // time. The algorithm has to run all `kinds`.
  AllreduceAlgorithm fastest(double bytes,
                             AllreduceAlgorithm preferred,
                             double times,
                             std::span<const CollectiveKind> kinds = at_once) const {
    AllreduceAlgorithm best = preferred;
    double best_s = time_s(bytes, kinds, preferred) / times;
    for (AllreduceAlgorithm algorithm : all) {
      const bool can_run = kinds.front() == CollectiveKind::allreduce || has_halves(algorithm);
      if (algorithm == preferred || !can_run || !may_run(algorithm)) continue;
      const double seconds = time_s(bytes, kinds, algorithm);
      if (seconds < best_s) {
        best = algorithm;
        best_s = seconds;
      }
    }
    return best;
  }

  AllreduceAlgorithm fastest_tree(double bytes) const {
    return time_s(bytes, at_once, AllreduceAlgorithm::recursive_doubling) <
                   time_s(bytes, at_once, AllreduceAlgorithm::rabenseifner)
               ? AllreduceAlgorithm::recursive_doubling
               : AllreduceAlgorithm::rabenseifner;
  }

 private:
  double time_s(double bytes,
                std::span<const CollectiveKind> kinds,
                AllreduceAlgorithm algorithm) const {
    double sum_s = 0.0;
    for (CollectiveKind kind : kinds) {
      sum_s += collective_time_s(platform_, links_, bytes, kind, algorithm);
    }
    return sum_s;
  }

  // Lists algorithms in the order of preference where prices are equal. Where the library and our
  // code run the same steps, the library is faster.
  static constexpr std::array all{AllreduceAlgorithm::library,
                                  AllreduceAlgorithm::hierarchical,
                                  AllreduceAlgorithm::rabenseifner,
                                  AllreduceAlgorithm::recursive_doubling,
                                  AllreduceAlgorithm::ring};

  bool is_measured(AllreduceAlgorithm algorithm) const {
    return has_fit(platform_, links_, CollectiveKind::allreduce, algorithm);
  }

  // Where any algorithm was measured on this number of ranks, only measured ones may run. The ring
  // is measured by its steps. On a measured platform, the library's time is never guessed.
  bool may_run(AllreduceAlgorithm algorithm) const {
    if (algorithm == AllreduceAlgorithm::ring) return true;
    if (is_any_measured()) return is_measured(algorithm);
    if (algorithm == AllreduceAlgorithm::library) return !platform_.measured;
    return algorithm != AllreduceAlgorithm::hierarchical || links_.ranks_per_node > 1;
  }

  const Platform& platform_;
  GroupLinks links_;
};

// Returns the bytes of the largest sum of gradients. A bucket is full with the layer that fills it.
std::int64_t largest_sum_bytes(const Plan& plan) {
  const std::int64_t parameter = parameter_bytes(plan.precision);
  std::int64_t largest = plan.bucket_bytes;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    largest = std::max(largest, plan.network.parameter_count(layer) * parameter);
  }
  return std::min(largest, plan.network.parameter_count() * parameter);
}

// Returns by size the fastest algorithm of smaller sums, where it differs from the algorithm of the
// largest sum.
template <typename Fastest>
std::vector<SizedAllreduce> small_allreduces(const Plan& plan,
                                             double largest_bytes,
                                             const Fastest& fastest) {
  constexpr std::int64_t least_bytes = 256;
  std::vector<SizedAllreduce> found;
  for (std::int64_t bytes = least_bytes; static_cast<double>(bytes) < largest_bytes; bytes *= 2) {
    const AllreduceAlgorithm algorithm = fastest(static_cast<double>(bytes));
    if (found.empty() || found.back().algorithm != algorithm) {
      found.push_back({.algorithm = algorithm});
    }
    found.back().max_bytes = bytes;
  }
  if (!found.empty() && found.back().algorithm == plan.gradient_allreduce) found.pop_back();
  return found;
}

}  // namespace

void choose_allreduce(Plan& plan, const Platform& platform) {
  plan.ranks_per_node = ranks_on_a_node(platform, plan.ranks);
  const AllreduceChoice choice(platform, plan);
  constexpr double statistics_bytes = (2 * 256 + 1) * 8.0;  // of a batch norm with 256 channels
  const auto largest_bytes = static_cast<double>(largest_sum_bytes(plan));
  const std::span<const CollectiveKind> kinds =
      plan.sharded_update ? std::span<const CollectiveKind>(in_halves) : at_once;
  if (plan.sample_blocks > 1) {
    plan.gradient_allreduce = choice.fastest_tree(largest_bytes);
    plan.small_gradient_allreduces = small_allreduces(
        plan, largest_bytes, [&](double bytes) { return choice.fastest_tree(bytes); });
    plan.statistics_allreduce = choice.fastest_tree(statistics_bytes);
    return;
  }
  const double times = choice.is_any_measured() ? 1.0 : 2.0;
  plan.gradient_allreduce = choice.fastest(largest_bytes, AllreduceAlgorithm::ring, times, kinds);
  constexpr double clear = 1.05;  // times vary by less from one measurement to the next
  plan.small_gradient_allreduces = small_allreduces(plan, largest_bytes, [&](double bytes) {
    return choice.fastest(bytes, plan.gradient_allreduce, std::max(times, clear), kinds);
  });
  if (!choice.is_any_measured()) return;
  plan.statistics_allreduce = choice.fastest(statistics_bytes, AllreduceAlgorithm::ring, 1.0);
}

}  // namespace cnnplan
