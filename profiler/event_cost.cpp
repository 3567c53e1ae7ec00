// Compares medians, because a single pass may be late for other reasons.
#include "profiler/event_cost.hpp"

#include <algorithm>

#include "planner/run/statistics.hpp"

namespace cnnplan {
namespace {

constexpr double least_share = 0.1;

void subtract_from_each(std::map<KernelSpec, std::vector<double>>& times, double event_s) {
  for (auto& [spec, list] : times) {
    for (double& time_s : list) time_s = std::max(time_s - event_s, least_share * time_s);
  }
}

}  // namespace

double seconds_per_event(std::span<const double> with_s,
                         std::span<const double> without_s,
                         std::size_t events) {
  const double longer_s = median(with_s) - median(without_s);
  return std::max(0.0, longer_s / static_cast<double>(events));
}

void subtract_event(KernelSamples& samples, double event_s) {
  subtract_from_each(samples.seconds, event_s);
  subtract_from_each(samples.occurrences_s, event_s);
}

}  // namespace cnnplan
