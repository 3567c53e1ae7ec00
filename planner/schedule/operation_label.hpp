// Says what an operation of a schedule is for. The lowering sets it, and nobody has to parse an id.
#pragma once

#include <optional>
#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Names the half of a training step that an operation belongs to. Backpropagation includes what it
// computes or fetches a second time, and reductions and updates.
enum class Direction { forward, backward };

// Says which outputs a kernel computes. Strips lie outside of the interior and need the halo.
enum class OutputRole { whole, interior, strip };

// Says what one operation is for, for reports and for the search. It does not affect execution.
struct OperationLabel {
  OperationPart part = OperationPart::forward;
  // Reports count the operation to this layer; missing where it serves a bucket.
  std::optional<LayerIndex> layer{};
  Direction direction = Direction::forward;
  OutputRole role = OutputRole::whole;
  // Says the level of multigrid, where 0 is the finest. Only operations that compute or move states
  // of a chain have one.
  std::optional<int> level{};
  bool operator==(const OperationLabel&) const = default;
};

// Returns the part, the layer by its name, and the level, as files have them. The name is empty if
// the label has no layer.
OperationPlace place_of(const OperationLabel& label, const Network& network);

// Says how an operation is called, and what it is for.
struct LabelledId {
  std::string id;
  OperationLabel label{};
};

}  // namespace cnnplan
