// Derives the limits of a tensor from runs with roundings, and finds its worst element.
#include "executor/verify/tensor_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "executor/verify/rounding.hpp"

namespace cnnplan {
namespace {

constexpr double element_margin = 10.0;   // errors of a million elements reach 5 deviations
constexpr double norm_margin = 4.0;       // of many elements
constexpr double few_margin = 6.0;        // in addition, divided by the root of their number
constexpr double stored_roundings = 4.0;  // that are always allowed, times the value
constexpr double usual_part = 0.9;        // of the elements that change at all
constexpr double usual_factor = 8.0;      // beyond it, a change counts as that of a switch
constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the absolute difference. It is 0 where neither value is finite and both are alike, and
// infinite where only one is a number.
double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0.0;
  const double found = std::abs(a - b);
  return std::isnan(found) ? infinity : found;
}

// Returns the largest change of each element.
std::vector<double> changes(const TensorRuns& runs) {
  std::vector<double> largest(runs.exact.size());
  for (const std::vector<double>& rounded : runs.rounded) {
    for (std::size_t i = 0; i < largest.size(); ++i) {
      largest[i] = std::max(largest[i], difference(rounded[i], runs.exact[i]));
    }
  }
  return largest;
}

// Returns the root mean square of the changes without those of elements near a switch, which are
// far larger than most.
double usual_change(const std::vector<double>& changes) {
  std::vector<double> sorted;
  for (double change : changes) {
    if (change > 0.0) sorted.push_back(change);
  }
  if (sorted.empty()) return 0.0;
  const auto place = static_cast<std::size_t>(usual_part * static_cast<double>(sorted.size() - 1));
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double most = usual_factor * *middle;
  double squares = 0.0;
  double count = 0.0;
  for (double change : sorted) {
    if (change > most) continue;
    squares += change * change;
    count += 1.0;
  }
  return std::sqrt(squares / count);
}

double norm_of(const std::vector<double>& values) {
  double squares = 0.0;
  for (double value : values) squares += value * value;
  return std::isnan(squares) ? infinity : std::sqrt(squares);
}

double norm_of_roots(const std::vector<double>& values) {
  double sum = 0.0;
  for (double value : values) sum += std::abs(value);
  return std::isnan(sum) ? infinity : std::sqrt(sum);
}

double norm_of_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(difference(a[i], b[i]), 2.0);
  return std::sqrt(squares);
}

double floor_of(double value, ElementType element) {
  return stored_roundings * unit_rounding(element) * std::abs(value) + lost_number(element);
}

double relative_to(double error, double limit) {
  if (error == 0.0) return 0.0;
  const double ratio = error / limit;
  return std::isnan(ratio) ? infinity : ratio;
}

}  // namespace

double TensorComparison::excess() const {
  return std::max(relative_to(error, limit), relative_to(norm_error, norm_limit));
}

std::vector<double> element_limits(const TensorRuns& runs, ElementType element) {
  std::vector<double> limits = changes(runs);
  const double usual = usual_change(limits);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    limits[i] = element_margin * std::max(limits[i], usual) + floor_of(runs.exact[i], element);
  }
  return limits;
}

TensorComparison compare_tensor(std::string name, const TensorRuns& runs, ElementType element) {
  TensorComparison result{.name = std::move(name)};
  const std::vector<double> limits = element_limits(runs, element);
  double worst = -1.0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double error = difference(runs.computed[i], runs.exact[i]);
    const double excess = relative_to(error, limits[i]);
    if (excess <= worst) continue;
    worst = excess;
    result.element = i;
    result.error = error;
    result.limit = limits[i];
  }
  for (const std::vector<double>& rounded : runs.rounded) {
    result.rounding = std::max(result.rounding, norm_of_difference(rounded, runs.exact));
  }
  result.norm = norm_of(runs.exact);
  result.root_norm = norm_of_roots(runs.exact);
  const double elements = std::sqrt(static_cast<double>(limits.size()));
  result.norm_limit = (norm_margin + few_margin / std::max(1.0, elements)) * result.rounding +
                      floor_of(result.norm, element) + lost_number(element) * elements;
  result.norm_error = norm_of_difference(runs.computed, runs.exact);
  return result;
}

}  // namespace cnnplan
