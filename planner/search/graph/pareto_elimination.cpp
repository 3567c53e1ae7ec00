// Eliminates variables over frontiers of labels.
#include "planner/search/graph/pareto_elimination.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace cnnplan {
namespace {

constexpr std::size_t most_neighbours = 2;
constexpr int no_trace = -1;
// Graphs that begin with more pairs of candidates take longer than they are worth.
constexpr std::size_t most_pairs = std::size_t{1} << 20;

struct Label {
  double seconds = 0.0;
  double bytes = 0.0;
  int trace = no_trace;   // the choices that lead here
  int second = no_trace;  // also chosen, until both are joined
  int candidate = 0;      // of the unit that is being eliminated
};

// Labels have ascending bytes and descending seconds.
using Frontier = std::vector<Label>;

// Records a choice, and the choices that it rests on.
struct Trace {
  int unit = -1;  // -1 where it only joins the choices that it rests on
  int candidate = 0;
  int first = no_trace;
  int second = no_trace;
};

struct FrontierMatrix {
  int columns = 0;
  std::vector<Frontier> cells;

  Frontier& at(int row, int column) { return cells[row * columns + column]; }
  const Frontier& at(int row, int column) const { return cells[row * columns + column]; }
};

class ParetoEliminator {
 public:
  ParetoEliminator(const LimitedGraph& graph, const LabelLimits& limits)
      : limit_bytes_(graph.limit_bytes), limits_(limits) {
    const int units = graph.seconds.unit_count();
    units_.resize(units);
    pairs_.resize(units);
    for (int unit = 0; unit < units; ++unit) {
      for (int i = 0; i < graph.seconds.candidate_count(unit); ++i) {
        units_[unit].push_back(
            {{.seconds = graph.seconds.units[unit][i], .bytes = graph.bytes.units[unit][i]}});
      }
    }
    for (std::size_t i = 0; i < graph.seconds.edges.size(); ++i) {
      add_edge(graph.seconds.edges[i], graph.bytes.edges[i]);
    }
  }

  ParetoResult run() {
    for (int unit = 0; unit < static_cast<int>(units_.size()); ++unit) remain(unit);
    while (!remaining_.empty()) {
      const bool is_too_entangled = remaining_.begin()->first > most_neighbours;
      if (is_too_entangled || made_ > limits_.most_made) return {.best = {}, .exact = false};
      eliminate(remaining_.extract(remaining_.begin()).value().second);
    }
    if (total_.empty()) return {.best = {}, .exact = exact_};
    return {.best = chosen(total_.back().trace), .exact = exact_};
  }

 private:
  void add_edge(const CostEdge& seconds, const CostEdge& bytes) {
    FrontierMatrix labels{.columns = seconds.costs.columns(), .cells = {}};
    for (std::size_t i = 0; i < seconds.costs.values().size(); ++i) {
      labels.cells.push_back(
          {{.seconds = seconds.costs.values()[i], .bytes = bytes.costs.values()[i]}});
    }
    add_pair(seconds.from, seconds.to, labels);
  }

  // The pair is kept with the lower unit's candidates as rows.
  void add_pair(int a, int b, const FrontierMatrix& labels) {
    const auto [entry, is_new] = pairs_[a].try_emplace(b, labels);
    if (!is_new) {
      for (std::size_t i = 0; i < labels.cells.size(); ++i) {
        entry->second.cells[i] = sum(entry->second.cells[i], labels.cells[i]);
      }
    }
    pairs_[b][a] = transposed(entry->second);
  }

  static FrontierMatrix transposed(const FrontierMatrix& matrix) {
    const int rows = static_cast<int>(matrix.cells.size()) / matrix.columns;
    FrontierMatrix result{.columns = rows, .cells = std::vector<Frontier>(matrix.cells.size())};
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        result.at(column, row) = matrix.at(row, column);
      }
    }
    return result;
  }

  int record(const Trace& trace) {
    traces_.push_back(trace);
    return static_cast<int>(traces_.size()) - 1;
  }

  int join(int first, int second) {
    if (first == no_trace) return second;
    if (second == no_trace) return first;
    return record({.first = first, .second = second});
  }

  // Drops labels that another label beats in both costs, and labels over the limits.
  void prune(Frontier& labels) {
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) {
      return std::pair(a.bytes, a.seconds) < std::pair(b.bytes, b.seconds);
    });
    double least_s = std::numeric_limits<double>::infinity();
    std::erase_if(labels, [&](const Label& label) {
      if (label.seconds >= least_s) return true;
      least_s = label.seconds;
      return false;
    });
    leave_out_worse(labels);
    if (labels.size() > limits_.most) thin_out(labels);
  }

  void leave_out_worse(Frontier& labels) {
    const auto worth = [&](const Label& label) {
      return label.seconds + limits_.price_s * label.bytes;
    };
    double least = std::numeric_limits<double>::infinity();
    for (const Label& label : labels) least = std::min(least, worth(label));
    std::erase_if(labels,
                  [&](const Label& label) { return worth(label) - least > limits_.most_worse_s; });
  }

  // Divides the range of bytes into equal shares, and keeps the fastest label of each, its last.
  // The smallest label stays, so that an assignment that fits is found.
  void thin_out(Frontier& labels) {
    exact_ = false;
    const double least = labels.front().bytes;
    const double share = (labels.back().bytes - least) / static_cast<double>(limits_.most - 1);
    const auto share_of = [&](const Label& label) {
      return static_cast<std::size_t>((label.bytes - least) / share);
    };
    Frontier kept{labels.front()};
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const bool is_last = i + 1 == labels.size() || share_of(labels[i + 1]) != share_of(labels[i]);
      if (is_last) kept.push_back(labels[i]);
    }
    labels = std::move(kept);
  }

  Frontier sum(const Frontier& a, const Frontier& b) {
    Frontier labels;
    append_sums(a, b, labels);
    prune(labels);
    for (Label& label : labels) {
      label.trace = join(label.trace, label.second);
      label.second = no_trace;
    }
    return labels;
  }

  void append_sums(const Frontier& a, const Frontier& b, Frontier& labels) {
    if (made_ > limits_.most_made) {
      exact_ = false;
      return;
    }
    const std::size_t before = labels.size();
    for (const Label& x : a) {
      for (const Label& y : b) {
        if (x.bytes + y.bytes > limit_bytes_) break;
        labels.push_back({.seconds = x.seconds + y.seconds,
                          .bytes = x.bytes + y.bytes,
                          .trace = x.trace,
                          .second = y.trace});
      }
    }
    made_ += labels.size() - before;
  }

  // Joins the labels of all candidates of `unit` with the labels that `of_neighbours` gives.
  template <typename OfNeighbours>
  Frontier folded(int unit, const OfNeighbours& of_neighbours) {
    Frontier labels;
    const auto& candidates = units_[unit];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const int candidate = static_cast<int>(i);
      const std::size_t first = labels.size();
      append_sums(candidates[i], of_neighbours(candidate), labels);
      for (std::size_t j = first; j < labels.size(); ++j) labels[j].candidate = candidate;
    }
    prune(labels);
    for (Label& label : labels) {
      label.trace = record({.unit = unit,
                            .candidate = label.candidate,
                            .first = label.trace,
                            .second = label.second});
      label.second = no_trace;
    }
    return labels;
  }

  void eliminate(int unit) {
    const auto neighbours = std::move(pairs_[unit]);
    pairs_[unit].clear();
    for (const auto& [other, labels] : neighbours) {
      remaining_.erase({pairs_[other].size(), other});
      pairs_[other].erase(unit);
    }
    static const Frontier nothing{Label{}};
    if (neighbours.empty()) {
      const Frontier own = folded(unit, [](int) -> const Frontier& { return nothing; });
      total_ = sum(total_, own);
    } else if (neighbours.size() == 1) {
      fold_into_unit(unit, neighbours.begin()->first, neighbours.begin()->second);
    } else {
      fold_into_pair(unit, *neighbours.begin(), *std::next(neighbours.begin()));
    }
    for (const auto& [other, labels] : neighbours) remain(other);
    units_[unit].clear();
  }

  void remain(int unit) { remaining_.emplace(pairs_[unit].size(), unit); }

  void fold_into_unit(int unit, int other, const FrontierMatrix& labels) {
    for (int i = 0; i < labels.columns; ++i) {
      Frontier& own = units_[other][i];
      own = sum(own, folded(unit, [&](int candidate) -> const Frontier& {
                  return labels.at(candidate, i);
                }));
    }
  }

  void fold_into_pair(int unit,
                      const std::pair<const int, FrontierMatrix>& a,
                      const std::pair<const int, FrontierMatrix>& b) {
    FrontierMatrix labels{.columns = b.second.columns, .cells = {}};
    for (int i = 0; i < a.second.columns; ++i) {
      for (int j = 0; j < b.second.columns; ++j) {
        labels.cells.push_back(folded(unit, [&](int candidate) {
          return sum(a.second.at(candidate, i), b.second.at(candidate, j));
        }));
      }
    }
    add_pair(a.first, b.first, labels);
  }

  Assignment chosen(int trace) const {
    Assignment assignment(units_.size(), 0);
    std::vector<int> open{trace};
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      if (next == no_trace) continue;
      const Trace& choice = traces_[next];
      if (choice.unit >= 0) assignment[choice.unit] = choice.candidate;
      open.push_back(choice.first);
      open.push_back(choice.second);
    }
    return assignment;
  }

  double limit_bytes_;
  LabelLimits limits_;
  bool exact_ = true;
  std::size_t made_ = 0;                              // labels
  std::vector<std::vector<Frontier>> units_;          // by unit and candidate
  std::vector<std::map<int, FrontierMatrix>> pairs_;  // by unit, then by neighbour
  std::set<std::pair<std::size_t, int>> remaining_;   // units that are left, by their neighbours
  Frontier total_{Label{}};
  std::vector<Trace> traces_;
};

}  // namespace

ParetoResult eliminate_within(const LimitedGraph& graph, const LabelLimits& labels) {
  check(graph.seconds);
  check(graph.bytes);
  std::size_t pairs = 0;
  for (const CostEdge& edge : graph.seconds.edges) pairs += edge.costs.values().size();
  if (pairs > most_pairs) return {.best = {}, .exact = false};
  LabelLimits limits = labels;
  limits.most = std::max<std::size_t>(2, limits.most);
  return ParetoEliminator(graph, limits).run();
}

}  // namespace cnnplan
