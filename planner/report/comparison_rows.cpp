// Sorts and words the parts of a comparison.
#include "planner/report/comparison_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/base/bytes_text.hpp"
#include "planner/report/table.hpp"

namespace cnnplan {

std::vector<ComparedTime> most_off_first(std::vector<ComparedTime> groups) {
  const auto off_s = [](const ComparedTime& time) {
    return std::fabs(time.predicted_s - time.measured_s);
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const ComparedTime& a, const ComparedTime& b) {
    return off_s(a) > off_s(b);
  });
  return groups;
}

ComparedTime rest_of(const ComparedTime& step, const std::vector<ComparedTime>& parts) {
  ComparedTime rest = step;
  rest.name = "rest of the step";
  for (const ComparedTime& part : parts) {
    rest.predicted_s -= part.predicted_s;
    rest.measured_s -= part.measured_s;
  }
  return rest;
}

bool means_something(const ComparedTime& rest) {
  return rest.predicted_s >= 0.0 && rest.measured_s >= 0.0;
}

std::string rest_text(const Comparison& comparison) {
  if (comparison.reason.is_rest_of_step) return {};
  const ComparedTime rest = rest_of(comparison.step, comparison.groups);
  if (!means_something(rest)) return {};
  const double off_s = rest.predicted_s - rest.measured_s;
  for (const ComparedTime& group : comparison.groups) {
    if (std::fabs(group.predicted_s - group.measured_s) >= std::fabs(off_s)) return {};
  }
  return "the " + rest.name + " is off by more than any layer, " + duration(off_s);
}

std::string signed_error(const ComparedTime& time) {
  return time.measured_s > 0 ? fixed((time.predicted_s / time.measured_s - 1) * 100, 1) : "-";
}

std::string spread_text(const Measured& step) {
  return std::to_string(step.count) + " steps measured, " + duration(step.min_s) + " to " +
         duration(step.max_s);
}

std::string size_text(const Comparison& comparison) {
  return counted(comparison.ranks, "rank") + ", batch " + std::to_string(comparison.batch);
}

std::string origin_text(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> parts;
  for (const auto& [key, title] : {std::pair{"date", ""},
                                   std::pair{"host", "host "},
                                   std::pair{"processor", ""},
                                   std::pair{"commit", "commit "}}) {
    const auto found = environment.find(key);
    if (found != environment.end()) parts.push_back(title + found->second);
  }
  return joined(parts);
}

}  // namespace cnnplan
