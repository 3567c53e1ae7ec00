// Declares the errors for nodes that the layers of networks cannot express.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "planner/base/error.hpp"

namespace cnnplan {

// Says why one node cannot be mapped. import_onnx collects these errors; its callers never see
// them.
class UnmappedNode : public std::runtime_error {
 public:
  explicit UnmappedNode(const std::string& reason) : std::runtime_error(reason) {}
};

// Describes a node that cannot be mapped, for the message to the user.
struct Refusal {
  std::string node;  // its name, or its first output if it has none
  std::string type;  // "LRN"
  std::string reason;
};

// Ends the program with exit code 3. The message has a line for each node that cannot be mapped.
class UnmappedNodes : public Error {
 public:
  // `advice` becomes the last line, unless it is empty.
  // @pre at least one refusal
  UnmappedNodes(const std::string& file,
                std::vector<Refusal> refusals,
                const std::string& advice = "");
  const std::vector<Refusal>& refusals() const { return refusals_; }

 private:
  std::vector<Refusal> refusals_;
};

}  // namespace cnnplan
