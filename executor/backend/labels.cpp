// Refuses labels that name no class.
#include "executor/backend/labels.hpp"

#include <string>

#include "planner/model/error.hpp"

namespace cnnplan {

std::int64_t checked_label(std::int64_t label, std::int64_t classes) {
  if (label >= 0 && label < classes) return label;
  throw InputError({.file = "labels",
                    .pointer = "",
                    .value = std::to_string(label),
                    .allowed = "[0, " + std::to_string(classes) + ")"});
}

}  // namespace cnnplan
