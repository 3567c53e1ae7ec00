// Writes a comparison as a table and the lines after it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "planner/base/bytes_text.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {
namespace {

std::vector<std::string> cells_of(const ComparedTime& time) {
  return {time.name,
          milliseconds(time.predicted_s),
          milliseconds(time.measured_s),
          time.measured_s > 0 ? fixed((time.predicted_s / time.measured_s - 1) * 100, 1) : "-"};
}

// Sorts by the difference of predicted and measured seconds.
std::vector<ComparedTime> most_off_first(std::vector<ComparedTime> groups) {
  const auto off_s = [](const ComparedTime& time) {
    return std::fabs(time.predicted_s - time.measured_s);
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const ComparedTime& a, const ComparedTime& b) {
    return off_s(a) > off_s(b);
  });
  return groups;
}

// Returns the time of the step outside of the groups. It is below 0 where operations overlap.
std::vector<std::string> rest_cells(const Comparison& comparison) {
  ComparedTime rest = comparison.step;
  for (const ComparedTime& group : comparison.groups) {
    rest.predicted_s -= group.predicted_s;
    rest.measured_s -= group.measured_s;
  }
  return {"rest of the step", milliseconds(rest.predicted_s), milliseconds(rest.measured_s), ""};
}

std::string unmatched_text(const std::string& title,
                           const std::vector<UnmatchedOperation>& operations) {
  if (operations.empty()) return "";
  std::string text = "\n" + title + ":\n";
  for (const UnmatchedOperation& operation : operations) {
    text += "  " + operation.id + "  " + duration(operation.seconds) + '\n';
  }
  return text;
}

std::string spread_text(const Measured& step) {
  return std::to_string(step.count) + " steps measured, " + duration(step.min_s) + " to " +
         duration(step.max_s);
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

}  // namespace

std::string to_text(const Comparison& comparison) {
  Table table({{"layer", Align::left}, {"predicted [ms]"}, {"measured [ms]"}, {"error [%]"}});
  for (const ComparedTime& group : most_off_first(comparison.groups)) {
    table.add_row(cells_of(group));
  }
  table.add_row(rest_cells(comparison));
  table.add_rule();
  table.add_row(cells_of(comparison.step));
  std::string text = comparison.network + ": " + std::to_string(comparison.ranks) +
                     (comparison.ranks == 1 ? " rank" : " ranks") + ", batch " +
                     std::to_string(comparison.batch) + "; " +
                     spread_text(comparison.measured_step) + "\n\n" + table.to_text();
  text += unmatched_text("predicted, not measured", comparison.only_predicted);
  text += unmatched_text("measured, not predicted", comparison.only_measured);
  text += "\nlayers: mean error " + percent(comparison.mean_error) + ", weighted by time " +
          percent(comparison.weighted_mean_error) + ", largest " + percent(comparison.max_error);
  if (!comparison.max_error_group.empty()) text += " (" + comparison.max_error_group + ")";
  return text + "\nstep: error " + percent(comparison.step.error()) + '\n' +
         memory_text(comparison);
}

}  // namespace cnnplan
