// Says what each attribute of each supported operator does to the import.
#pragma once

#include <vector>

#include "tests/planner/import/operator_models.hpp"

namespace cnnplan::test {

// Says what another value of an attribute does to the import of a model.
enum class Effect {
  changes,  // the network, its parameters or the reason of a refusal
  refused,  // where the model without it may be imported; the reason names the attribute
  none      // nothing that layers compute depends on it
};

using SetAttribute = void (*)(NodeBuilder& node);

struct AttributeRow {
  OperatorKey key;
  const char* attribute;
  Effect effect;
  SetAttribute set;                   // to another value than the default
  SetAttribute beforehand = nullptr;  // other attributes, without which this one has no effect
};

// Returns a row for each attribute of the operators in operator_models().
std::vector<AttributeRow> attribute_rows();

}  // namespace cnnplan::test
