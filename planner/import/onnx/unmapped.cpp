// Writes the message about all nodes that cannot be mapped.
#include "planner/import/onnx/unmapped.hpp"

#include <utility>

#include "planner/import/onnx/printable.hpp"

namespace cnnplan {
namespace {

std::string message_of(const std::string& file,
                       const std::vector<Refusal>& refusals,
                       const std::string& advice) {
  const bool is_one = refusals.size() == 1;
  std::string text = file + ": " + std::to_string(refusals.size()) + (is_one ? " node" : " nodes") +
                     " of the model cannot be mapped to layers:";
  for (const Refusal& refusal : refusals) {
    text += "\n  " + printable(refusal.node) + " (" + printable(refusal.type) +
            "): " + printable(refusal.reason);
  }
  if (!advice.empty()) text += '\n' + advice;
  return text;
}

}  // namespace

UnmappedNodes::UnmappedNodes(const std::string& file,
                             std::vector<Refusal> refusals,
                             const std::string& advice)
    : Error(ExitCode::bad_input, message_of(file, refusals, advice)),
      refusals_(std::move(refusals)) {}

}  // namespace cnnplan
