// Groups rows, and leaves out empty columns.
#include "planner/summary/layer_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/report/group_costs.hpp"
#include "planner/report/table.hpp"
#include "planner/summary/wrapped.hpp"

namespace cnnplan {
namespace {

// Has the columns of times. Several columns of --wide share one.
constexpr std::array<const char*, 4> time_titles{"fwd", "bwd", "msgs", "other"};
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
  int layers = 0;
  std::string split;
  Times times_s{};
  double total_s = 0.0;
  bool is_alone = false;

  void add(const GroupCost& cost) {
    for (const ReportColumn column : all_report_columns) {
      times_s[column_of(column)] += cost.columns_s[static_cast<std::size_t>(column)];
    }
    total_s += cost.total_s;
  }
  // Names the first layer, and counts the others. `most` is the number of columns.
  std::string name(std::size_t most) const {
    constexpr std::string_view cut = "..";
    const std::string others = layers == 1 ? "" : " +" + std::to_string(layers - 1);
    if (first.size() + others.size() <= most) return first + others;
    const std::size_t left = most - std::min(most, others.size() + cut.size());
    return first.substr(0, left) + std::string(cut) + others;
  }
};

// Shortens names of channel algorithms to their last letter, which the legend explains.
std::string split_of(const LayerPlan& layer) {
  std::string text = to_text(layer.split());
  constexpr std::string_view algorithm = "stationary_";
  const std::size_t at = text.find(algorithm);
  if (at != std::string::npos) text.erase(at, algorithm.size());
  const bool is_staged = layer.mesh.size(Axis::l) > 1;
  return text + (is_staged ? " @" + std::to_string(layer.stage) : "") +
         (layer.recompute ? " again" : "");
}

std::vector<Row> rows_of(const Plan& plan, GroupCosts& found) {
  std::vector<Row> rows;
  for (const LayerIndex i : plan.network.layers().indices()) {
    const std::string& name = plan.network.layer(i).name;
    const GroupCost& cost = found.costs[name];
    const std::string split = split_of(plan.layers[i]);
    const bool is_alone = cost.total_s >= own_row_share * plan.prediction.step_s;
    if (rows.empty() || is_alone || rows.back().is_alone || rows.back().split != split) {
      rows.push_back({.first = name, .split = split, .is_alone = is_alone});
    }
    ++rows.back().layers;
    rows.back().add(cost);
  }
  for (const std::string& group : found.without_layer) {
    rows.push_back({.first = group, .layers = 1, .split = ""});
    rows.back().add(found.costs[group]);
  }
  return rows;
}

std::string share(double seconds, double step_s) {
  return seconds == 0.0 || step_s <= 0.0 ? "-" : fixed(seconds / step_s * 100, 1);
}

// Says in which columns of times any row has one.
using Used = std::array<bool, time_titles.size()>;

Used used_columns(const std::vector<Row>& rows) {
  Used used{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || row.times_s[i] > 0.0;
  }
  return used;
}

std::string short_ms(double seconds) {
  constexpr int decimals = 2;
  return seconds == 0.0 ? "-" : fixed(seconds * 1e3, decimals);
}

std::string table_of(const std::vector<Row>& rows, double step_s, std::size_t name_width) {
  const Used used = used_columns(rows);
  std::vector<Column> columns{{"layers", Align::left}, {"split", Align::left}};
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) columns.push_back({time_titles[i]});
  }
  columns.insert(columns.end(), {{"total"}, {"step %"}});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.name(name_width), row.split};
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) cells.push_back(short_ms(row.times_s[i]));
    }
    cells.push_back(short_ms(row.total_s));
    cells.push_back(share(row.total_s, step_s));
    table.add_row(std::move(cells));
  }
  return table.to_text();
}

// Explains the letters of splits that the rows have.
std::string legend(const std::vector<Row>& rows) {
  std::string text =
      "Times in ms, means over ranks: kernels forward and backward, messages, other work (batch "
      "norms, reductions, updates). Splits: n samples, c channels, d depth, h height, w width, r "
      "copies";
  const auto any = [&](std::string_view part) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.split.find(part) != std::string::npos;
    });
  };
  if (any(" x") || any(" w")) text += ", x and w the algorithm stationary_x or _w";
  if (any("@")) text += ", @ the stage";
  if (any("again")) text += ", again: computed again in backpropagation";
  return wrapped("", text + ". +N: and N more layers; --wide shows all.", usual_width);
}

}  // namespace

std::string layer_table(const Plan& plan) {
  GroupCosts found(plan);
  const std::vector<Row> rows = rows_of(plan, found);
  constexpr std::size_t least_width = 8;
  std::size_t width = 40;
  std::string table = table_of(rows, plan.prediction.step_s, width);
  // The line across is as long as the longest line.
  for (; width > least_width && table.find(std::string(usual_width + 1, '-')) != std::string::npos;
       --width) {
    table = table_of(rows, plan.prediction.step_s, width - 1);
  }
  return legend(rows) + table;
}

}  // namespace cnnplan
