// Raises the bound by Lagrange multipliers, drops excluded candidates, and labels the others.
#include "planner/search/graph/memory_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/search/graph/min_marginals.hpp"
#include "planner/search/graph/rounding.hpp"

namespace cnnplan {
namespace {

constexpr double rounding_of_differences = 1e-10;
// A first run with few labels finds a good assignment soon. The second run then leaves most labels
// out.
constexpr std::size_t label_counts[] = {64, 4096};

CostMatrix priced(const CostMatrix& seconds, const CostMatrix& bytes, double price_s) {
  CostMatrix costs = seconds;
  for (int row = 0; row < costs.rows(); ++row) {
    for (int column = 0; column < costs.columns(); ++column) {
      costs(row, column) += price_s * bytes(row, column);
    }
  }
  return costs;
}

// Returns the costs in seconds where a byte costs `price_s`. Edges that shared their costs still
// share them.
CostGraph priced(const LimitedGraph& graph, double price_s) {
  CostGraph result = graph.seconds;
  for (std::size_t unit = 0; unit < result.units.size(); ++unit) {
    for (std::size_t i = 0; i < result.units[unit].size(); ++i) {
      result.units[unit][i] += price_s * graph.bytes.units[unit][i];
    }
  }
  std::map<std::pair<const CostMatrix*, const CostMatrix*>, SharedCosts> known;
  for (std::size_t i = 0; i < result.edges.size(); ++i) {
    const CostMatrix& seconds = graph.seconds.edges[i].costs.matrix();
    const CostMatrix& bytes = graph.bytes.edges[i].costs.matrix();
    const auto [entry, is_new] = known.try_emplace({&seconds, &bytes});
    if (is_new) entry->second = priced(seconds, bytes, price_s);
    result.edges[i].costs = entry->second;
  }
  return result;
}

// Holds the costs of an assignment.
struct Point {
  double seconds = 0.0;
  double bytes = 0.0;
};

// Bounds the fastest assignment within the limit.
class Bounds {
 public:
  explicit Bounds(const LimitedGraph& graph) : graph_(graph) {}

  // Returns the optimum at this price, or nothing where the graph is too entangled.
  std::optional<Point> try_price(double price_s) {
    const Elimination found = eliminate(priced(graph_, price_s));
    const double bound_s = found.bound - price_s * graph_.limit_bytes;
    if (bound_s > bound_s_) {
      bound_s_ = bound_s;
      price_s_ = price_s;
    }
    if (!found.optimum) return std::nullopt;
    return offer(*found.optimum);
  }

  // Keeps an assignment that is within the limit and faster than all before. @returns its costs
  Point offer(const Assignment& assignment) {
    const Point point{.seconds = total_cost(graph_.seconds, assignment),
                      .bytes = total_cost(graph_.bytes, assignment)};
    if (point.bytes <= graph_.limit_bytes && (!best_ || point.seconds < best_s_)) {
      best_ = assignment;
      best_s_ = point.seconds;
    }
    return point;
  }

  const std::optional<Assignment>& best() const { return best_; }
  double best_s() const { return best_s_; }
  double bound_s() const { return bound_s_; }
  double price_s() const { return price_s_; }
  bool closed() const {
    return best_ && best_s_ <= bound_s_ + rounding_of_sums * std::abs(best_s_);
  }

 private:
  const LimitedGraph& graph_;
  std::optional<Assignment> best_;
  double best_s_ = 0.0;
  double bound_s_ = -std::numeric_limits<double>::infinity();
  double price_s_ = 0.0;  // of the highest bound
};

// Searches the price of the highest bound as Handler and Zang (1980) do. At each price tried, two
// assignments cost the same, one within the limit and one beyond it. The search ends when no other
// assignment costs less at this price.
// @pre `fast` is beyond the limit, `small` is not
void search_price(double limit_bytes, Point fast, Point small, Bounds& bounds) {
  constexpr int most_prices = 100;
  for (int i = 0; i < most_prices && !bounds.closed(); ++i) {
    const double price_s = (small.seconds - fast.seconds) / (fast.bytes - small.bytes);
    const auto cost = [&](const Point& point) { return point.seconds + price_s * point.bytes; };
    const Point next = bounds.try_price(price_s).value();
    if (cost(next) >= cost(small) * (1 - rounding_of_sums)) return;
    (next.bytes <= limit_bytes ? small : fast) = next;
  }
}

// Tries higher prices as long as they raise the bound of a graph that cannot be eliminated.
void raise_bound(double least_bytes, Bounds& bounds) {
  constexpr int doublings = 60;
  double price_s = 1e-3 * std::max(bounds.bound_s(), 1e-12) / std::max(least_bytes, 1.0);
  for (int i = 0; i < doublings; ++i) {
    const double before_s = bounds.bound_s();
    bounds.try_price(price_s);
    if (bounds.bound_s() <= before_s) return;
    price_s *= 2;
  }
}

using Kept = std::vector<std::vector<int>>;  // by unit: candidates, in the numbers of the graph

CostGraph part_of(const CostGraph& graph, const Kept& kept) {
  CostGraph part;
  for (std::size_t unit = 0; unit < kept.size(); ++unit) {
    part.units.emplace_back();
    for (int i : kept[unit]) {
      part.units.back().push_back(graph.units[unit][i]);
    }
  }
  using Key = std::tuple<const CostMatrix*, std::vector<int>, std::vector<int>>;
  std::map<Key, SharedCosts> known;
  for (const CostEdge& edge : graph.edges) {
    const std::vector<int>& rows = kept[edge.from];
    const std::vector<int>& columns = kept[edge.to];
    const auto [entry, is_new] = known.try_emplace({&edge.costs.matrix(), rows, columns});
    if (is_new) entry->second = selected(edge.costs.matrix(), rows, columns);
    part.edges.push_back({edge.from, edge.to, entry->second});
  }
  return part;
}

// Leaves out the candidates with which even the bound is slower than the best known assignment.
Kept not_ruled_out(const LimitedGraph& graph, const Bounds& bounds) {
  const CostGraph at_price = priced(graph, bounds.price_s());
  const double most_s =
      (bounds.best_s() + bounds.price_s() * graph.limit_bytes) * (1 + rounding_of_differences);
  const UnitCosts marginals = MinMarginals::of(at_price).value().costs();
  Kept kept;
  for (const std::vector<double>& costs : marginals) {
    const double least = *std::min_element(costs.begin(), costs.end());
    std::vector<int>& possible = kept.emplace_back();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] <= std::max(least, most_s)) possible.push_back(static_cast<int>(i));
    }
  }
  return kept;
}

Assignment in_graph(const Assignment& part, const Kept& kept) {
  Assignment assignment;
  for (std::size_t unit = 0; unit < part.size(); ++unit) {
    assignment.push_back(kept[unit][part[unit]]);
  }
  return assignment;
}

// @returns true when no assignment within the limit is faster than the best known one
bool search_labels(const LimitedGraph& graph, std::size_t most, Bounds& bounds) {
  const double slack_s =
      rounding_of_sums * (std::abs(bounds.best_s()) + bounds.price_s() * graph.limit_bytes);
  const Kept kept = not_ruled_out(graph, bounds);
  const ParetoResult found =
      eliminate_within({.seconds = part_of(graph.seconds, kept),
                        .bytes = part_of(graph.bytes, kept),
                        .limit_bytes = graph.limit_bytes},
                       {.most = most,
                        .most_worse_s = bounds.best_s() - bounds.bound_s() + slack_s,
                        .price_s = bounds.price_s()});
  if (found.best) bounds.offer(in_graph(*found.best, kept));
  return found.exact;
}

}  // namespace

WithinLimit fastest_within(const LimitedGraph& graph) {
  WithinLimit result;
  const Elimination smallest = eliminate(graph.bytes);
  result.least_bytes = smallest.bound;
  if (smallest.bound > graph.limit_bytes) return result;
  Bounds bounds(graph);
  std::optional<Point> small;
  if (smallest.optimum) small = bounds.offer(*smallest.optimum);
  const std::optional<Point> fast = bounds.try_price(0.0);
  if (!fast || !small) {
    raise_bound(smallest.bound, bounds);
  } else if (fast->bytes > graph.limit_bytes) {
    search_price(graph.limit_bytes, *fast, *small, bounds);
  }
  result.exact = bounds.closed();
  for (const std::size_t most : label_counts) {
    if (result.exact || !bounds.best()) break;
    result.exact = search_labels(graph, most, bounds);
  }
  result.best = bounds.best();
  result.bound_s = result.exact ? bounds.best_s() : bounds.bound_s();
  return result;
}

}  // namespace cnnplan
