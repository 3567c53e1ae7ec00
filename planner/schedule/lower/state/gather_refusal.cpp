// Names the layer, its method and the allowed one.
#include "planner/schedule/lower/state/gather_refusal.hpp"

#include "planner/base/error.hpp"

namespace cnnplan {

void refuse_gather(const LoweringContext& context,
                   LayerIndex layer,
                   const std::string& allowed,
                   const std::string& reason) {
  const std::string method(to_text(context.layer_plan(layer).gather));
  throw InputError(
      {.file = "",
       .pointer = "/layers/" + std::to_string(layer) + "/gather",
       .value = '"' + method + '"',
       .allowed = allowed + " for layer \"" + context.name_of(layer) + "\", because " + reason});
}

}  // namespace cnnplan
