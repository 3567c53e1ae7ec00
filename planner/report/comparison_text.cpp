// Writes a comparison as a table and the lines after it.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/similar_names.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/comparison_rows.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

std::vector<std::string> cells_of(const ComparedTime& time) {
  return {
      time.name, milliseconds(time.predicted_s), milliseconds(time.measured_s), signed_error(time)};
}

// A rest has no error, since its two sides may be differences of large times.
std::vector<std::string> rest_cells(const Comparison& comparison) {
  std::vector<std::string> cells = cells_of(rest_of(comparison.step, comparison.groups));
  cells.back().clear();
  return cells;
}

// Lists at most `most` operations.
std::string unmatched_text(const std::string& title,
                           const std::vector<UnmatchedOperation>& operations,
                           std::size_t most) {
  if (operations.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (std::size_t i = 0; i < std::min(most, operations.size()); ++i) {
    text += "  " + operations[i].id + "  " + duration(operations[i].seconds) + '\n';
  }
  if (operations.size() > most) {
    text += "  and " + std::to_string(operations.size() - most) + " more: --wide lists all\n";
  }
  return text;
}

// The text is empty where a side does not know its memory.
std::string memory_text(const Comparison& comparison) {
  const std::int64_t predicted = comparison.predicted_memory_bytes;
  const std::int64_t peak = comparison.process_peak_bytes;
  if (predicted == 0 || comparison.allocated_memory_bytes == 0) return "";
  std::string text = "memory of a rank: predicted " + bytes_text(predicted) + ", allocated " +
                     bytes_text(comparison.allocated_memory_bytes);
  if (peak > 0) {
    text += ", peak of the process " + bytes_text(peak) + " (" +
            fixed(static_cast<double>(peak) / static_cast<double>(predicted), 2) +
            " of the prediction" + (comparison.predicted_process ? "" : ", which leaves it out") +
            ")";
  }
  return text + '\n';
}

// Breaks a text that may end with a line break.
std::string lines_of(std::string text, std::size_t columns) {
  if (text.empty()) return text;
  if (text.back() == '\n') text.pop_back();
  return indented(text, 0, columns);
}

// Says what is true of the whole comparison, after the table.
std::string conclusion(const Comparison& comparison,
                       std::size_t most_unmatched,
                       std::size_t columns) {
  const std::string unmatched =
      unmatched_text("predicted, not measured", comparison.only_predicted, most_unmatched) +
      unmatched_text("measured, not predicted", comparison.only_measured, most_unmatched);
  std::string text = "layers: mean error " + percent(comparison.mean_error) +
                     ", weighted by time " + percent(comparison.weighted_mean_error) +
                     ", largest " + percent(comparison.max_error);
  if (!comparison.max_error_group.empty()) text += " (" + comparison.max_error_group + ")";
  const std::string rest = rest_text(comparison);
  if (!rest.empty()) text += "; " + rest;
  text += "\nstep: error " + percent(comparison.step.error()) + '\n';
  const std::string& reason = comparison.reason.text;
  if (!reason.empty()) text += "likely reason: " + reason + '\n';
  text += memory_text(comparison);
  const std::string origin = origin_text(comparison.environment);
  if (!origin.empty()) text += "run: " + origin + '\n';
  return unmatched + '\n' + lines_of(text, columns);
}

Table short_table() {
  return Table({{"layer", Align::left},
                {"more"},
                {"predicted [ms]"},
                {"measured [ms]"},
                {"off [ms]"},
                {"error [%]"}});
}

// Returns the cells of `groups` groups in a short_table. `time` has their sum.
std::vector<std::string> short_cells(const ComparedTime& time, std::size_t groups = 1) {
  std::vector<std::string> cells = cells_of(time);
  cells.insert(cells.begin() + 1, groups == 1 ? "" : '+' + std::to_string(groups - 1));
  cells.insert(cells.end() - 1, fixed((time.predicted_s - time.measured_s) * 1e3, 3));
  return cells;
}

std::string legend(const Comparison& comparison, bool any_grouped, std::size_t columns) {
  const std::string text =
      "Means over ranks, those furthest off first; off: predicted less measured; error: off / "
      "measured. " +
      spread_text(comparison.measured_step) + '.' +
      (any_grouped ? " +N: with N more that take less than " + percent(compared_row_share) +
                         " of the step; --wide shows all."
                   : "");
  return indented(text, 0, columns);
}

bool is_large(const ComparedTime& group, const ComparedTime& step) {
  return group.predicted_s >= compared_row_share * step.predicted_s ||
         group.measured_s >= compared_row_share * step.measured_s;
}

// Returns the sum of the small groups, with the name of the one that is furthest off.
ComparedTime sum_of(const std::vector<ComparedTime>& small) {
  ComparedTime sum;
  if (!small.empty()) sum.name = small.front().name;
  for (const ComparedTime& group : small) {
    sum.predicted_s += group.predicted_s;
    sum.measured_s += group.measured_s;
  }
  return sum;
}

}  // namespace

std::string to_text(const Comparison& comparison, std::size_t columns) {
  Table table({{"layer", Align::left}, {"predicted [ms]"}, {"measured [ms]"}, {"error [%]"}});
  for (const ComparedTime& group : most_off_first(comparison.groups)) {
    table.add_row(cells_of(group));
  }
  table.add_row(rest_cells(comparison));
  table.add_rule();
  table.add_row(cells_of(comparison.step));
  const std::string title = comparison.network + ": " + size_text(comparison) + "; " +
                            spread_text(comparison.measured_step);
  return indented(title, 0, columns) + '\n' + table.to_text() +
         conclusion(comparison, std::numeric_limits<std::size_t>::max(), columns);
}

std::string short_text(const Comparison& comparison, std::size_t columns) {
  constexpr std::size_t most_unmatched = 5;
  Table table = short_table();
  std::vector<ComparedTime> small;
  for (const ComparedTime& group : most_off_first(comparison.groups)) {
    if (is_large(group, comparison.step)) {
      table.add_row(short_cells(group));
    } else {
      small.push_back(group);
    }
  }
  if (!small.empty()) table.add_row(short_cells(sum_of(small), small.size()));
  std::vector<std::string> rest = short_cells(rest_of(comparison.step, comparison.groups));
  rest.back().clear();
  table.add_row(std::move(rest));
  table.add_rule();
  table.add_row(short_cells(comparison.step));
  table.hide_empty_columns();
  return legend(comparison, small.size() > 1, columns) + table.to_text(columns) +
         conclusion(comparison, most_unmatched, columns);
}

std::string row_text(const Comparison& comparison, const std::string& group, std::size_t columns) {
  for (const ComparedTime& candidate : comparison.groups) {
    if (candidate.name != group) continue;
    Table table = short_table();
    table.add_row(short_cells(candidate));
    table.hide_empty_columns();
    return legend(comparison, false, columns) + table.to_text(columns);
  }
  std::vector<std::string> names;
  for (const ComparedTime& candidate : comparison.groups) names.push_back(candidate.name);
  constexpr std::size_t most_names = 5;
  throw InputError({.file = "--layer",
                    .pointer = "",
                    .value = '"' + group + '"',
                    .allowed = "a layer with a time, such as " +
                               joined(most_similar(group, names, most_names))});
}

}  // namespace cnnplan
