// Tests the import of operators that are only planned.
#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

const ImportOptions planning{.planning = true};

std::string planned_operator(ModelBuilder& model) {
  return std::get<Pointwise>(last_layer(model.import(planning)).parameters).operation;
}

TEST_CASE("Planning: operators of one activation, with attributes and constants") {
  for (const char* type : {"Sigmoid", "HardSwish", "HardSigmoid", "Erf", "Tanh", "Elu"}) {
    ModelBuilder model;
    model.node(type, {"x"}).set("alpha", 0.5F);
    CHECK(planned_operator(model) == type);
    CHECK(refusals_of(model).size() == 1);
  }
  ModelBuilder prelu;
  prelu.weight("slope", {4, 1, 1}).node("PRelu", {"x", "slope"});
  CHECK(planned_operator(prelu) == "PRelu");
  ModelBuilder clip;
  clip.reals("low", {}, {-1}).reals("high", {}, {1}).node("Clip", {"x", "low", "high"});
  CHECK(planned_operator(clip) == "Clip");
}

TEST_CASE("Planning: what a kernel computes stays as it is") {
  ModelBuilder relu;
  relu.node("Relu", {"x"});
  const ImportedModel imported = relu.import(planning);
  CHECK(std::holds_alternative<Relu>(last_layer(imported).parameters));
  CHECK(imported.notes.empty());
}

TEST_CASE("Planning: the gate is the second input") {
  ModelBuilder model;
  model.node("GlobalAveragePool", {"x"}, {"p"});
  model.node("Sigmoid", {"p"}, {"s"}).called("gate");
  model.node("Mul", {"s", "x"});
  const ImportedModel imported = model.import(planning);
  CHECK(last_layer(imported).inputs == std::vector<std::string>{"x", "gate"});
  REQUIRE(imported.notes.size() == 1);
  CHECK(contains(imported.notes[0], "1 Mul, 1 Sigmoid"));
}

TEST_CASE("Planning: refusals") {
  ModelBuilder wide;
  wide.weight("w", {2, 1, 1, 1}).node("Pow", {"x", "w"});
  CHECK(contains(refusals_of(wide, planning).at(0).reason, "a constant (2, 1, 1, 1)"));
  ModelBuilder coupled;
  coupled.node("Softmax", {"x"}, {"s"});
  coupled.node("Mul", {"x", "s"});
  CHECK(refusals_of(coupled, planning).at(0).type == "Softmax");
  ModelBuilder parts;
  parts.node("MaxPool", {"x"}, {"p"}).set("kernel_shape", Dims{2, 2}).set("strides", Dims{2, 2});
  parts.node("Mul", {"x", "p"});
  CHECK(contains(refusals_of(parts, planning).at(0).reason, "neither equal nor one position"));
}

}  // namespace
}  // namespace cnnplan::test
