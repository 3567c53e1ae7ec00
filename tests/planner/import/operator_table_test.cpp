// Tests each attribute of each operator that the import supports, in each opset that has it. The
// operators and attributes come from the registry of ONNX itself, so that no row can be missing.
#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <onnx/defs/schema.h>

#include "planner/import/folding/constant_folding.hpp"
#include "planner/import/onnx/onnx_file.hpp"
#include "planner/import/operators.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/operator_models.hpp"
#include "tests/planner/import/operator_rows.hpp"

namespace cnnplan::test {
namespace {

// Describes what a model becomes, or why it is refused.
struct Outcome {
  bool is_refused = false;
  std::string text;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(ModelBuilder& model) {
  try {
    const ImportedModel imported = model.import();
    std::ostringstream text;
    text << to_json(imported.network);
    for (const ImportedTensor& tensor : imported.tensors) {
      text << tensor.layer << '/' << tensor.name;
      for (const double value : values_of(tensor, "m.onnx")) text << ' ' << value;
    }
    return {.is_refused = false, .text = text.str()};
  } catch (const Error& error) {
    return {.is_refused = true, .text = error.what()};
  }
}

Outcome outcome_of(const OperatorKey& key,
                   std::int64_t opset,
                   SetAttribute beforehand = nullptr,
                   SetAttribute set = nullptr) {
  ModelBuilder model({1, 4, 8, 8}, opset);
  NodeBuilder node = operator_models().at(key)(model, opset);
  if (beforehand != nullptr) beforehand(node);
  if (set != nullptr) set(node);
  return outcome_of(model);
}

void check_row(const AttributeRow& row, std::int64_t opset) {
  CAPTURE(row.key.type);
  CAPTURE(static_cast<int>(row.key.path));
  CAPTURE(row.attribute);
  CAPTURE(opset);
  const Outcome without = outcome_of(row.key, opset, row.beforehand);
  const Outcome with = outcome_of(row.key, opset, row.beforehand, row.set);
  CAPTURE(with.text);
  switch (row.effect) {
    case Effect::changes:
      CHECK(with != without);
      CHECK_FALSE(contains(with.text, "is not supported for this operator"));
      break;
    case Effect::refused:
      CHECK(with.is_refused);
      if (!without.is_refused) CHECK(contains(with.text, row.attribute));
      break;
    case Effect::none:
      CHECK(with == without);
      break;
  }
}

bool is_supported(const std::string& type) {
  return find_operator(type) != nullptr || can_fold(type) || type == "Softmax" ||
         type == "LogSoftmax";
}

// Returns the schemas of standard operators that are in force in some opset that the import reads.
std::vector<onnx::OpSchema> standard_schemas() {
  const std::vector<onnx::OpSchema> all = onnx::OpSchemaRegistry::get_all_schemas_with_history();
  std::vector<onnx::OpSchema> found;
  for (const onnx::OpSchema& schema : all) {
    const bool is_later = std::any_of(all.begin(), all.end(), [&](const onnx::OpSchema& other) {
      return other.Name() == schema.Name() && other.domain() == schema.domain() &&
             other.SinceVersion() > schema.SinceVersion() && other.SinceVersion() <= oldest_opset;
    });
    if (schema.domain().empty() && schema.SinceVersion() <= newest_opset && !is_later) {
      found.push_back(schema);
    }
  }
  return found;
}

std::int64_t opset_of(const onnx::OpSchema& schema) {
  return std::max<std::int64_t>(oldest_opset, schema.SinceVersion());
}

// Returns the ways in which the import treats an operator.
std::vector<OperatorKey> keys_of(const std::string& type) {
  std::vector<OperatorKey> keys;
  const bool is_softmax = type == "Softmax" || type == "LogSoftmax";
  if (find_operator(type) != nullptr || is_softmax) keys.push_back({type, Path::mapped});
  if (can_fold(type)) keys.push_back({type, Path::folded});
  return keys;
}

TEST_CASE("Operators: each supported one has a model, which is imported in every opset") {
  std::set<std::string> types;
  for (const onnx::OpSchema& schema : standard_schemas()) {
    for (const OperatorKey& key : keys_of(schema.Name())) {
      CAPTURE(key.type);
      CAPTURE(schema.SinceVersion());
      REQUIRE_MESSAGE(operator_models().contains(key), "tests/planner/import/operator_models.cpp");
      types.emplace(key.type);
      // A constant needs one of its attributes, and a layer after it may need a dim less.
      if (key.type == "Constant" || key.type.starts_with("Reduce")) continue;
      const Outcome outcome = outcome_of(key, opset_of(schema));
      CHECK_MESSAGE(!outcome.is_refused, outcome.text);
    }
  }
  for (const auto& model : operator_models()) {
    CHECK(types.contains(std::string(model.first.type)));
  }
}

TEST_CASE("Operators: all others of the standard are refused") {
  std::set<std::string> refused;
  for (const onnx::OpSchema& schema : standard_schemas()) {
    if (is_supported(schema.Name()) || !refused.insert(schema.Name()).second) continue;
    ModelBuilder model({1, 4, 8, 8}, opset_of(schema));
    model.node(schema.Name(), {"x"});
    CAPTURE(schema.Name());
    CHECK(contains(refusal_of(model), "no layer computes this"));
  }
  CHECK(refused.size() > 50);
}

TEST_CASE("Attributes: each one of the standard has a row, and does what the row says") {
  const std::vector<AttributeRow> rows = attribute_rows();
  std::set<std::pair<OperatorKey, std::string_view>> seen;
  for (const onnx::OpSchema& schema : standard_schemas()) {
    for (const OperatorKey& key : keys_of(schema.Name())) {
      for (const auto& attribute : schema.attributes()) {
        const std::string& name = attribute.first;
        CAPTURE(key.type);
        CAPTURE(static_cast<int>(key.path));
        CAPTURE(schema.SinceVersion());
        CAPTURE(name);
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const AttributeRow& own) {
          return own.key == key && own.attribute == name;
        });
        CHECK_MESSAGE(row != rows.end(), "attribute_rows() lacks this attribute");
        if (row == rows.end()) continue;
        seen.emplace(row->key, row->attribute);
        check_row(*row, opset_of(schema));
      }
    }
  }
  // Opsets that are newer than the installed registry have further attributes.
  for (const AttributeRow& row : rows) {
    if (!seen.contains({row.key, row.attribute})) check_row(row, newest_opset);
  }
}

TEST_CASE("Attributes: what no standard knows is refused") {
  for (const auto& model : operator_models()) {
    const OperatorKey& key = model.first;
    if (key.type == "Constant") continue;
    CAPTURE(key.type);
    const Outcome outcome = outcome_of(
        key, 17, nullptr, [](NodeBuilder& node) { node.set("colour", std::int64_t{1}); });
    CHECK(contains(outcome.text, "its attribute 'colour' is not supported for this operator"));
  }
}

}  // namespace
}  // namespace cnnplan::test
