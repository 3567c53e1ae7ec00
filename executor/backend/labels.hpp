// Checks a class label, in the same way for every backend on the host.
#pragma once

#include <cstdint>

namespace cnnplan {

// Returns `label` as it is.
// @throws std::logic_error that names the label and its range, unless 0 <= label < classes
std::int64_t checked_label(std::int64_t label, std::int64_t classes);

}  // namespace cnnplan
