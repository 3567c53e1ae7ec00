// Turns a label, which holds indices, into what files say, which holds names.
#include "planner/schedule/operation_label.hpp"

namespace cnnplan {

OperationPlace place_of(const OperationLabel& label, const Network& network) {
  return {.part = label.part,
          .layer = label.layer ? network.layer(*label.layer).name : "",
          .level = label.level};
}

}  // namespace cnnplan
