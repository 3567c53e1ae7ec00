// Groups rows, and leaves out empty columns.
#include "planner/summary/layer_table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/base/wrapped_text.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/group_costs.hpp"
#include "planner/report/table.hpp"

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
  double critical_s = 0.0;
  bool estimated = false;
  bool is_alone = false;

  void add(const GroupCost& cost) {
    for (const ReportColumn column : all_report_columns) {
      times_s[column_of(column)] += cost.columns_s[static_cast<std::size_t>(column)];
    }
    total_s += cost.total_s;
    critical_s += cost.critical_s;
    estimated = estimated || cost.estimated;
  }
};

std::string split_of(const LayerPlan& layer) {
  const bool is_staged = layer.mesh.size(Axis::l) > 1;
  return short_split(to_text(layer.split())) +
         (is_staged ? " @" + std::to_string(layer.stage) : "") + (layer.recompute ? " again" : "") +
         (layer.gather != GatherMethod::direct ? " by node" : "");
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
    rows.push_back({.first = group, .layers = 1, .split = {}});
    rows.back().add(found.costs[group]);
  }
  return rows;
}

std::string share(double seconds, double step_s) {
  return seconds == 0.0 || step_s <= 0.0 ? "-" : fixed(seconds / step_s * 100, 1);
}

// Has the unit of all times in a table.
struct Unit {
  const char* name = "ms";
  double seconds = 1e-3;
  int decimals = 2;
};

Unit unit_of(double step_s) {
  constexpr double short_step_s = 0.01;
  if (step_s >= short_step_s || step_s <= 0.0) return {};
  return {.name = "us", .seconds = 1e-6, .decimals = 1};
}

// With overlap, kernels hide other operations, so only the critical path is a share of the step.
std::string table_of(const Plan& plan, const std::vector<Row>& rows, std::size_t width) {
  const double step_s = plan.prediction.step_s;
  const Unit unit = unit_of(step_s);
  const auto time = [&](double seconds) {
    return seconds == 0.0 ? "-" : fixed(seconds / unit.seconds, unit.decimals);
  };
  std::vector<Column> columns{{"layer", Align::left}, {"more"}, {"split", Align::left}};
  for (const char* title : time_titles) columns.push_back({title});
  columns.insert(columns.end(), {{"total "}, {"step %"}});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{
        row.first, row.layers == 1 ? "" : '+' + std::to_string(row.layers - 1), row.split};
    for (const double time_s : row.times_s) cells.push_back(time(time_s));
    cells.push_back(marked(time(row.total_s), row.estimated));
    cells.push_back(share(plan.overlap ? row.critical_s : row.total_s, step_s));
    table.add_row(std::move(cells));
  }
  table.hide_empty_columns();
  return table.to_text(width);
}

bool any_split_has(const std::vector<Row>& rows, std::string_view part) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return row.split.find(part) != std::string::npos;
  });
}

// Explains the columns, and the letters of splits that the rows have.
std::string legend(const Plan& plan, const std::vector<Row>& rows, std::size_t width) {
  std::string text = std::string("Times in ") + unit_of(plan.prediction.step_s).name +
                     ", means over ranks: kernels forward and backward, messages, other work "
                     "(batch norms, reductions, updates). Splits: n samples, c channels, d depth, "
                     "h height, w width, r copies";
  if (any_split_has(rows, " x") || any_split_has(rows, " w")) {
    text += ", x and w the algorithm stationary_x or _w";
  }
  if (any_split_has(rows, "@")) text += ", @ the stage";
  if (any_split_has(rows, "again")) text += ", again: computed again in backpropagation";
  if (any_split_has(rows, "by node")) text += ", by node: gathers its input node by node";
  const bool any_grouped =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.layers > 1; });
  if (any_grouped) text += ". +N: with the next N layers; --wide shows all";
  if (plan.overlap) text += ". step %: what the step waits for; kernels hide the rest of total";
  return wrapped("", text + '.', width);
}

std::string text_of(const Plan& plan, const std::vector<Row>& rows, std::size_t width) {
  return legend(plan, rows, width) + table_of(plan, rows, width);
}

}  // namespace

std::string layer_table(const Plan& plan, std::size_t width) {
  GroupCosts found(plan);
  return text_of(plan, rows_of(plan, found), width) + estimate_note(plan, width);
}

std::string layer_row(const Plan& plan, const std::string& layer, std::size_t width) {
  const LayerIndex i = layer_named(plan, layer);
  Row row{.first = layer, .layers = 1, .split = split_of(plan.layers[i])};
  row.add(GroupCosts(plan).costs[layer]);
  return text_of(plan, {row}, width);
}

}  // namespace cnnplan
