// Names the states of findings as JSON has them.
#include "planner/doctor/finding.hpp"

namespace cnnplan {

std::string_view to_text(FindingState state) {
  switch (state) {
    case FindingState::present:
      return "present";
    case FindingState::missing:
      return "missing";
    case FindingState::advice:
      return "advice";
    case FindingState::absent:
      break;
  }
  return "absent";
}

}  // namespace cnnplan
