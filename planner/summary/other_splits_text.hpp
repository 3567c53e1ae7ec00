// Says in sentences why a layer is split as it is.
#pragma once

#include <string>

#include "planner/plan/other_splits.hpp"

namespace cnnplan {

// Returns sentences that compare the step with what it would take if the layers of `units` alone
// were split otherwise. Differences are by cost, largest first, and add up to the difference of the
// steps. Memory is named where it differs by 1 % or more.
// @pre `units` is one of found.units, and `found` is of `plan`
std::string to_text(const OtherSplits& found, const OtherSplitsOfUnits& units, const Plan& plan);

// Says why some or all layers have no such sentences. The text is empty if all have some.
std::string missing_text(const OtherSplits& found);

}  // namespace cnnplan
