// Numbers the operations of a run.
#include "planner/run/run.hpp"

namespace cnnplan {

std::unordered_map<std::string_view, int> places_by_id(const RunReport& run) {
  std::unordered_map<std::string_view, int> places;
  for (const MeasuredOperation& operation : run.operations) {
    places.emplace(operation.id, static_cast<int>(places.size()));
  }
  return places;
}

}  // namespace cnnplan
