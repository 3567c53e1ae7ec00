// Searches for the fastest plan by additive costs among plans that keep few enough bytes.
#include "planner/search/plans/within_memory.hpp"

#include <optional>
#include <utility>

#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/graph/memory_limit.hpp"

namespace cnnplan {
namespace {

Assignment least_of(const CostGraph& graph) {
  std::optional<Assignment> optimum = eliminate(graph).optimum;
  return optimum ? std::move(*optimum) : longest_path_first(graph);
}

}  // namespace

void add_within_memory(const Plan& blank, const PricedNetwork& priced, Scores& scores) {
  constexpr int attempts = 12;
  constexpr double margin = 0.001;
  const auto score = [&](const Assignment& assignment, SearchOrigin origin) {
    Plan plan = plan_of(blank, priced.choices, assignment);
    return static_cast<double>(scores.add({origin}, std::move(plan)).bytes);
  };
  constexpr SearchOrigin fitting = SearchOrigin::least_cost_that_fits;
  const auto available = static_cast<double>(scores.available_bytes());
  const Assignment fastest = least_of(priced.graph);
  double excess = score(fastest, fitting) - available;
  double too_much = total_cost(priced.kept_bytes, fastest);
  std::optional<double> enough;
  for (int i = 0; i < attempts && (excess > 0.0 || enough); ++i) {
    const double limit = enough ? (*enough + too_much) / 2 : too_much - excess - margin * available;
    if (enough && too_much - *enough < margin * available) return;
    const WithinLimit found =
        fastest_within({.seconds = priced.graph, .bytes = priced.kept_bytes, .limit_bytes = limit});
    if (!found.best) {
      score(least_of(priced.kept_bytes), SearchOrigin::least_memory);
      return;
    }
    excess = score(*found.best, fitting) - available;
    if (excess > 0.0) {
      too_much = limit;
    } else {
      enough = limit;
    }
  }
}

}  // namespace cnnplan
