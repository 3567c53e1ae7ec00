// Tests the import of operators that are only planned.
#include <doctest/doctest.h>

#include "planner/network/channel_split.hpp"
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

// Adds the nodes of a norm over the last axis of `x`, step by step as exports have them.
void add_norm(ModelBuilder& model,
              const std::string& x,
              const std::string& power = "two",
              const std::string& scale = "scale") {
  model.reals("two", {}, {2}).reals("three", {}, {3}).reals("small", {}, {1e-6F});
  model.weight("scale", {4}).weight("shift", {4});
  model.node("ReduceMean", {x}, {"mean"}).set("axes", Dims{-1});
  model.node("Sub", {x, "mean"}, {"difference"});
  model.node("Pow", {"difference", power}, {"square"});
  model.node("ReduceMean", {"square"}, {"variance"}).set("axes", Dims{-1});
  model.node("Add", {"variance", "small"}, {"sum"});
  model.node("Sqrt", {"sum"}, {"root"});
  model.node("Div", {"difference", "root"}, {"quotient"});
  model.node("Mul", {"quotient", scale}, {"scaled"});
  model.node("Add", {"scaled", "shift"}, {"norm"}).called("norm");
}

TEST_CASE("Planning: a norm over channels, step by step or as one node") {
  for (const bool is_one_node : {false, true}) {
    CAPTURE(is_one_node);
    ModelBuilder model({2, 4, 8, 6}, is_one_node ? 17 : 13);
    model.node("Transpose", {"x"}, {"last"}).set("perm", Dims{0, 2, 3, 1});
    if (is_one_node) {
      model.weight("scale", {4})
          .node("LayerNormalization", {"last", "scale"}, {"norm"})
          .called("norm");
    } else {
      add_norm(model, "last");
    }
    model.weight("w", {4, 16}).node("MatMul", {"norm", "w"}, {"wide"});
    model.node("Erf", {"wide"}, {"erf"});
    model.node("Mul", {"erf", "wide"}, {"gate"});
    model.node("Transpose", {"gate"}).set("perm", Dims{0, 3, 1, 2});
    const ImportedModel imported = model.import(planning);
    const Network& network = imported.network;
    REQUIRE(network.layer_count() == 6);  // x, norm, product, Erf, Mul, loss
    const LayerIndex norm = network.index_of("norm").value();
    CHECK(std::get<Pointwise>(network.layer(norm).parameters).operation == "LayerNormalization");
    CHECK(network.output_shape(norm, 2) == Shape{{2, 4, 1, 8, 6}});
    CHECK(network.output_shape(network.loss_layer() - 1, 2) == Shape{{2, 16, 1, 8, 6}});
    CHECK(contains(channel_split_refusal(network, norm, 2, {}), "norm over channels"));
    REQUIRE(imported.notes.size() == 1);
    CHECK(contains(imported.notes[0], "1 Erf, 1 LayerNormalization, 1 Mul"));
    CHECK_FALSE(refusals_of(model).empty());  // without planning
  }
}

TEST_CASE("Planning: a scale that a model has twice and stores once belongs to the norm") {
  ModelBuilder model({2, 4, 8, 6});
  model.node("Transpose", {"x"}, {"last"}).set("perm", Dims{0, 2, 3, 1});
  model.node("Identity", {"scale"}, {"copy"});
  add_norm(model, "last", "two", "copy");
  model.node("Transpose", {"norm"}).set("perm", Dims{0, 3, 1, 2});
  const ImportedModel imported = model.import(planning);
  CHECK(imported.network.layer_count() == 3);  // x, norm, loss
  CHECK(contains(imported.notes.at(0), "as memory-bound layers: 1 LayerNormalization;"));
}

TEST_CASE("Planning: a norm that other nodes look into stays a norm for its users") {
  ModelBuilder model({2, 4, 8, 6});
  model.node("Transpose", {"x"}, {"last"}).set("perm", Dims{0, 2, 3, 1});
  add_norm(model, "last");
  model.node("Add", {"norm", "quotient"}, {"both"});
  model.node("Transpose", {"both"}).set("perm", Dims{0, 3, 1, 2});
  const ImportedModel imported = model.import(planning);
  CHECK(contains(imported.notes.at(0), "2 LayerNormalization"));
}

TEST_CASE("Planning: norms over positions, and nodes that are no norm, are refused") {
  ModelBuilder rows({2, 4, 8, 4});
  add_norm(rows, "x");
  rows.node("Relu", {"norm"});
  CHECK(contains(refusals_of(rows, planning).at(0).reason, "over other dims than the channels"));
  ModelBuilder cubes({2, 4, 8, 6});
  cubes.node("Transpose", {"x"}, {"last"}).set("perm", Dims{0, 2, 3, 1});
  add_norm(cubes, "last", "three");
  cubes.node("Relu", {"norm"});
  CHECK(refusals_of(cubes, planning).at(0).type == "ReduceMean");
  ModelBuilder layouts({2, 4, 4, 4});
  layouts.node("Transpose", {"x"}, {"last"}).set("perm", Dims{0, 2, 3, 1});
  layouts.node("Mul", {"x", "last"});
  CHECK(contains(refusals_of(layouts, planning).at(0).reason, "another one with channels first"));
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
