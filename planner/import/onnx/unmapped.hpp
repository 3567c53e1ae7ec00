// What stands in the way of an import: nodes that the layers of networks cannot express.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "planner/base/error.hpp"

namespace cnnplan {

// Why one node cannot be mapped; collected, never seen by callers of import_onnx.
class UnmappedNode : public std::runtime_error {
 public:
  explicit UnmappedNode(const std::string& reason) : std::runtime_error(reason) {}
};

struct Refusal {
  std::string node;  // its name, or its first output where it has none
  std::string type;  // "LRN"
  std::string reason;
};

// Exit code 3. The message has a line for each node, all of those that can be told at once.
class UnmappedNodes : public Error {
 public:
  // @pre at least one refusal
  UnmappedNodes(const std::string& file, std::vector<Refusal> refusals);
  const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  std::vector<Refusal> refusals_;
};

}  // namespace cnnplan
