// Refuses labels that name no class. Data files were checked before the first step.
#include "executor/backend/labels.hpp"

#include <stdexcept>
#include <string>

namespace cnnplan {

std::int64_t checked_label(std::int64_t label, std::int64_t classes) {
  if (label >= 0 && label < classes) return label;
  throw std::logic_error("label " + std::to_string(label) + " is not in [0, " +
                         std::to_string(classes) + ")");
}

}  // namespace cnnplan
