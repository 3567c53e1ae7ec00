// Writes a verdict, a legend, and a table of the rows that lose most or are to be timed.
#include "planner/report/roofline_text.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/roofline_rows.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

using Rows = std::vector<RooflineRow>;

constexpr std::size_t most_rows = 12;  // of the narrow table
constexpr std::size_t named_rows = 3;  // in the sentences about losses and estimates

std::string part_text(OperationPart part) {
  switch (part) {
    case OperationPart::forward:
      return "fwd";
    case OperationPart::backward_data:
      return "bwd data";
    case OperationPart::backward_filter:
      return "bwd filter";
    default:
      return std::string(to_text(part));
  }
}

RooflineRow sum_of(const Rows& rows, std::size_t begin) {
  RooflineRow sum;
  for (std::size_t i = begin; i < rows.size(); ++i) sum.add(rows[i]);
  return sum;
}

std::string share_text(double part_s, double whole_s) {
  return whole_s > 0.0 ? percent(part_s / whole_s) : "-";
}

// Returns text such as "conv1 bwd filter and 2 equal ones (1.200 ms)".
std::string row_text(const RooflineRow& row, double seconds) {
  const int more = row.kernels - 1;
  std::string equal;
  if (more > 0) {
    equal = " and " + counted(more, "equal one");
  }
  return row.first + ' ' + part_text(row.part) + equal + " (" + duration(seconds) + ")";
}

std::string losses_text(const Rows& rows) {
  std::vector<std::string> losses;
  for (const RooflineRow& row : rows) {
    const bool loses = !row.estimated && row.lost_s() > 0.0;
    if (losses.size() < named_rows && loses) losses.push_back(row_text(row, row.lost_s()));
  }
  return losses.empty() ? "" : " Most time above the bounds is lost by " + joined(losses) + ".";
}

std::ptrdiff_t count_estimated(const Rows& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.estimated; });
}

// Says which kernels to time, because an estimate says nothing about what a device loses.
std::string estimates_text(const Roofline& roofline, const Rows& rows) {
  const std::ptrdiff_t estimated = count_estimated(rows);
  if (estimated == 0) return "";
  std::vector<std::string> first;
  for (const RooflineRow& row : rows) {
    if (first.size() < named_rows && row.estimated) first.push_back(row_text(row, row.seconds));
  }
  const bool all = estimated == static_cast<std::ptrdiff_t>(rows.size());
  const std::string whose = all ? "" : estimated == 1 ? "its " : "their ";
  const std::string which = all ? "All times are"
                                : std::to_string(estimated) + " of " + std::to_string(rows.size()) +
                                      (estimated == 1 ? " rows is" : " rows are");
  return ' ' + which + " estimated, so what " + whose + "kernels lose is not known: time them (" +
         unbroken(roofline.profile_command) + "), first " + joined(first) + ".";
}

std::string verdict(const Roofline& roofline, const Rows& rows) {
  const double step_s = roofline.step_s;
  const auto share_of = [&](BoundKind kind) {
    return share_text(roofline.kernels_s(kind), step_s);
  };
  return "Kernels that memory bounds take " + share_of(BoundKind::memory) + " of the step of " +
         duration(step_s) + ", and kernels that arithmetic bounds take " +
         share_of(BoundKind::arithmetic) + ". At their bounds, all of them would take " +
         duration(roofline.bound_s()) + ", " + share_text(roofline.bound_s(), step_s) +
         " of the step." + losses_text(rows) + estimates_text(roofline, rows);
}

// Says by how much the bounds of convolutions are shorter than those of the direct method.
std::string saving_text(const Rows& rows) {
  double most = 1.0;
  for (const RooflineRow& row : rows) most = std::max(most, row.saving);
  if (most == 1.0) return "";
  return " Flop counts are those of direct convolution. Methods that save operations, as "
         "Winograd's does, make bounds up to " +
         fixed(most, 2) + " times shorter.";
}

// Explains the shares of timed kernels. Estimated ones have none.
std::string share_legend(const Rows& rows) {
  const bool any_timed = count_estimated(rows) < static_cast<std::ptrdiff_t>(rows.size());
  return any_timed ? " %: the bound as a share of a timed kernel's time." : "";
}

// Says why kernels are faster than their bounds, where some are.
std::string below_text(const Rows& rows) {
  const auto below = std::count_if(
      rows.begin(), rows.end(), [](const RooflineRow& row) { return row.is_below_bound(); });
  if (below == 0) return "";
  return " " + std::to_string(below) + (below == 1 ? " row takes" : " rows take") +
         " less than the bound, because a method saves operations, a cache saves bytes, or the "
         "device is faster than its rates.";
}

std::string legend(const Roofline& roofline, const Rows& rows, bool wide) {
  const DeviceRoof& roof = roofline.roof;
  const bool any_grouped =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.kernels > 1; });
  return "Rates: " + with_prefix(roof.bytes_per_s, "B/s") + " of memory and " +
         with_prefix(roof.flops_per_s, "flop/s") + " of convolutions (" + roof.source +
         "). A kernel is bound by its bytes (mem), or by the operations of a convolution (flop) "
         "if they take longer." +
         saving_text(rows) + share_legend(rows) + below_text(rows) + " Kernels are those of rank " +
         std::to_string(roofline.rank) + ", which has the most work." +
         (any_grouped ? " +N: with N equal kernels." : "") +
         (wide || rows.size() <= most_rows ? "" : " --wide shows all rows.");
}

// Has the units of all amounts in a table.
struct Units {
  SiPrefix bytes;
  SiPrefix flops;
  bool is_short = false;  // times are in microseconds

  explicit Units(const RooflineRow& all)
      : bytes(si_prefix(all.bytes)), flops(si_prefix(all.flops)), is_short(all.seconds < short_s) {}
  std::string time(double seconds) const {
    return is_short ? fixed(seconds * 1e6, 1) : fixed(seconds * 1e3, 2);
  }

 private:
  static constexpr double short_s = 0.01;
};

std::string amount(double value, const SiPrefix& unit) {
  return value == 0.0 ? "-" : fixed(value / unit.factor, 2);
}

// Returns the cells of sums over any kernels.
std::vector<std::string> sum_cells(const RooflineRow& row, const Units& units) {
  return {row.first,
          "",
          "",
          amount(row.bytes, units.bytes),
          amount(row.flops, units.flops),
          "",
          units.time(row.bound_s),
          marked(units.time(row.seconds), row.estimated),
          row.seconds > 0.0 && !row.estimated ? fixed(row.bound_s / row.seconds * 100, 0) : "-"};
}

std::vector<std::string> cells_of(const RooflineRow& row, const Units& units) {
  std::vector<std::string> cells = sum_cells(row, units);
  if (row.kernels > 1) cells[1] = '+' + std::to_string(row.kernels - 1);
  cells[2] = part_text(row.part);
  cells[5] = row.kind == BoundKind::memory ? "mem" : "flop";
  return cells;
}

Table table_of(const Units& units) {
  const std::string time = units.is_short ? " us" : " ms";
  return Table({{"layer", Align::left},
                {"more"},
                {"part", Align::left},
                {units.bytes.name + std::string("B")},
                {units.flops.name + std::string("flop")},
                {"by", Align::left},
                {"bound" + time},
                {"time" + time + ' '},
                {"%"}});
}

std::string filled_table(const Rows& rows, bool wide, std::size_t columns) {
  RooflineRow all = sum_of(rows, 0);
  all.first = "all " + std::to_string(all.kernels);
  const Units units(all);
  Table table = table_of(units);
  const std::size_t count = wide ? rows.size() : std::min(most_rows, rows.size());
  for (std::size_t i = 0; i < count; ++i) table.add_row(cells_of(rows[i], units));
  if (count < rows.size()) {
    RooflineRow others = sum_of(rows, count);
    others.first = std::to_string(others.kernels) + " others";
    table.add_row(sum_cells(others, units));
  }
  table.add_rule();
  table.add_row(sum_cells(all, units));
  table.hide_empty_columns();
  return wide ? table.to_text() : table.to_text(columns);
}

}  // namespace

std::string to_text(const Roofline& roofline, bool wide, std::size_t columns) {
  const Rows rows = rows_of(roofline);
  return indented(verdict(roofline, rows), 0, columns) + '\n' +
         indented(legend(roofline, rows, wide), 0, columns) + filled_table(rows, wide, columns);
}

}  // namespace cnnplan
