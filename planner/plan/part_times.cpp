// Adds up operations by their part.
#include "planner/plan/part_times.hpp"

#include <array>
#include <cstddef>

namespace cnnplan {

std::vector<PartTime> parts_of(const Prediction& prediction) {
  std::array<double, Enumerators<OperationPart>::all.size()> seconds{};
  for (const PredictedOperation& operation : prediction.operations) {
    if (operation.place.part) {
      seconds[static_cast<std::size_t>(*operation.place.part)] += operation.critical_s;
    }
  }
  std::vector<PartTime> parts;
  for (const OperationPart part : Enumerators<OperationPart>::all) {
    const double critical_s = seconds[static_cast<std::size_t>(part)];
    if (critical_s > 0.0) parts.push_back({.part = part, .critical_s = critical_s});
  }
  return parts;
}

}  // namespace cnnplan
