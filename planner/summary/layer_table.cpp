// Groups rows, and leaves out empty columns.
#include "planner/summary/layer_table.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "planner/report/group_costs.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

// Has the columns of times. Several columns of --wide share one.
constexpr std::array<const char*, 4> time_titles{"forward", "backward", "messages", "other"};
using Times = std::array<double, time_titles.size()>;

std::size_t column_of(ReportColumn column) {
  switch (column) {
    case ReportColumn::forward:
      return 0;
    case ReportColumn::backward_data:
    case ReportColumn::backward_filter:
      return 1;
    case ReportColumn::halo:
    case ReportColumn::channels:
    case ReportColumn::shuffle:
    case ReportColumn::copy:
    case ReportColumn::allreduce:
      return 2;
    case ReportColumn::statistics:
    case ReportColumn::other:
      return 3;
  }
  return 3;
}

struct Row {
  std::string first;
  std::string last;
  std::string split;
  Times times_s{};
  double total_s = 0.0;
  double critical_s = 0.0;
  bool is_alone = false;

  void add(const GroupCost& cost) {
    for (const ReportColumn column : all_report_columns) {
      times_s[column_of(column)] += cost.columns_s[static_cast<std::size_t>(column)];
    }
    total_s += cost.total_s;
    critical_s += cost.critical_s;
  }
  std::string name() const {
    constexpr std::size_t most = 24;
    const std::string both = first == last ? first : first + " to " + last;
    if (both.size() <= most || first == last) return both;
    constexpr std::size_t half = (most - 4) / 2;
    return first.substr(0, half) + " to " + last.substr(0, half);
  }
};

std::string split_of(const LayerPlan& layer) {
  const bool is_staged = layer.mesh.size(Axis::l) > 1;
  return to_text(layer.split()) + (is_staged ? " stage " + std::to_string(layer.stage) : "") +
         (layer.recompute ? ", again" : "");
}

std::vector<Row> rows_of(const Plan& plan, GroupCosts& found) {
  std::vector<Row> rows;
  for (const LayerIndex i : plan.network.layers().indices()) {
    const std::string& name = plan.network.layer(i).name;
    const GroupCost& cost = found.costs[name];
    const std::string split = split_of(plan.layers[i]);
    const bool is_alone = cost.total_s >= own_row_share * plan.prediction.step_s;
    if (rows.empty() || is_alone || rows.back().is_alone || rows.back().split != split) {
      rows.push_back({.first = name, .last = name, .split = split, .is_alone = is_alone});
    }
    rows.back().last = name;
    rows.back().add(cost);
  }
  for (const std::string& group : found.without_layer) {
    rows.push_back({.first = group, .last = group, .split = ""});
    rows.back().add(found.costs[group]);
  }
  return rows;
}

std::string share(double seconds, double step_s) {
  return seconds == 0.0 || step_s <= 0.0 ? "-" : fixed(seconds / step_s * 100, 1);
}

}  // namespace

std::string layer_table(const Plan& plan) {
  GroupCosts found(plan);
  const std::vector<Row> rows = rows_of(plan, found);
  std::array<bool, time_titles.size()> is_used{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      is_used[i] = is_used[i] || row.times_s[i] > 0.0;
    }
  }
  std::vector<Column> columns{{"layers", Align::left}, {"split", Align::left}};
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) columns.push_back({time_titles[i]});
  }
  columns.insert(columns.end(), {{"total"}, {"step %"}, {"waits %"}});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.name(), row.split};
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      if (is_used[i]) cells.push_back(milliseconds(row.times_s[i]));
    }
    cells.push_back(milliseconds(row.total_s));
    cells.push_back(share(row.total_s, plan.prediction.step_s));
    cells.push_back(share(row.critical_s, plan.prediction.step_s));
    table.add_row(std::move(cells));
  }
  return "Times in ms, means over ranks; waits %: what the step waits for. Splits: n samples,\n"
         "c channels, d depth, h height, w width, r copies. --wide shows every layer.\n" +
         table.to_text();
}

}  // namespace cnnplan
