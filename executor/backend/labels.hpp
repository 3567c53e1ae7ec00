// The check of a class label, the same in every backend.
#pragma once

#include <cstdint>

namespace cnnplan {

// @throws std::logic_error naming the label and its range unless 0 <= label < classes
std::int64_t checked_label(std::int64_t label, std::int64_t classes);

}  // namespace cnnplan
