// Tests the import of whole models: inputs, outputs, ignored nodes, and all refusals at once.
#include "planner/import/import_onnx.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "planner/import/network_source.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

// Returns a model with two heads after a trunk, as exports of training graphs have them.
ModelBuilder two_heads() {
  ModelBuilder model({0, 3, 0, 0});
  model.weight("trunk.weight", {4, 3, 3, 3}).weight("a.weight", {2, 4, 1, 1});
  model.weight("b.weight", {5, 4, 1, 1});
  model.node("Conv", {"x", "trunk.weight"}, {"t"});
  model.node("Conv", {"t", "a.weight"}, {"main"});
  model.node("Conv", {"t", "b.weight"}, {"auxiliary"});
  model.node("NonZero", {"auxiliary"}, {"nobody"});
  return model;
}

TEST_CASE("Import: layers by name, the loss, and the network's own file") {
  ModelBuilder model = two_heads();
  model.output("main").output("auxiliary");
  const ImportedModel imported = model.import({.input = "32x48"});
  const Network& network = imported.network;
  CHECK(network.name() == "m");
  REQUIRE(network.layer_count() == 4);
  CHECK(network.layer(LayerIndex(0)) == Layer{"x", {}, Input{.channels = 3, .size = {1, 32, 48}}});
  CHECK(network.layer(LayerIndex(1)).name == "trunk");
  CHECK(network.layer(LayerIndex(2)).name == "a");
  CHECK(network.layer(LayerIndex(3)) == Layer{"loss", {"a"}, SoftmaxCrossEntropy{}});
  CHECK(parse_network(to_json(network), "m.json") == network);
  REQUIRE(imported.notes.size() == 1);
  CHECK(contains(imported.notes[0], "'auxiliary'"));
  CHECK(imported.tensors.size() == 2);
}

TEST_CASE(
    "Import: --main-output takes any value of the model, and leaves out nodes it does not need") {
  ModelBuilder model = two_heads();
  model.output("main").output("auxiliary");
  const ImportOptions options{.input = "3x32x32", .output = "auxiliary"};
  CHECK(model.import(options).network.layer(LayerIndex(2)).name == "b");
  CHECK(model.import({.input = "32x32", .output = "t"}).network.layer_count() == 3);
  const InputProblem nowhere =
      problem_of([&] { model.import({.input = "32x32", .output = "nowhere"}); });
  CHECK(nowhere.pointer == "output 'nowhere'");
  CHECK(contains(nowhere.allowed, "('main', 'auxiliary')"));
}

TEST_CASE("Import: all nodes that cannot be mapped are reported together") {
  ModelBuilder model;
  model.weight("w", {4, 4, 3, 3});
  model.node("DeformConv", {"x", "w"}, {"a"}).called("up");
  model.node("Relu", {"a"}, {"b"});
  model.node("Conv", {"b", "b"}, {"c"}).called("later");
  model.node("FusedConv", {"c"}, {"d"}).called("foreign").message().set_domain("com.microsoft");
  model.node("Gather", {"d", "w"}, {"e"}).called("gather");
  model.node("Sigmoid", {"e"}).called("gate");
  const std::vector<Refusal> refusals = refusals_of(model);
  REQUIRE(refusals.size() == 4);
  CHECK(refusals[0].node == "up");
  CHECK(refusals[0].type == "DeformConv");
  CHECK(contains(refusals[1].reason, "com.microsoft"));
  CHECK(refusals[2].node == "gather");
  CHECK(refusals[3].node == "gate");
  try {
    model.import();
  } catch (const UnmappedNodes& unmapped) {
    CHECK(contains(unmapped.what(), "m.onnx: 4 nodes"));
    CHECK(contains(unmapped.what(), "\n  gate (Sigmoid): no layer computes this"));
  }
}

TEST_CASE("Import: a softmax at the end is left out, elsewhere refused") {
  ModelBuilder at_end({1, 6});
  at_end.node("Relu", {"x"}, {"a"});
  at_end.node("LogSoftmax", {"a"}, {"b"});
  at_end.node("Identity", {"b"});
  const ImportedModel imported = at_end.import();
  CHECK(imported.network.layer_count() == 3);
  CHECK(contains(imported.notes.at(0), "LogSoftmax"));
  ModelBuilder within({1, 6});
  within.node("Softmax", {"x"}, {"a"});
  within.node("Relu", {"a"});
  CHECK(contains(refusal_of(within), "not the output"));
}

TEST_CASE("Import: a softmax at the end is one over the channels") {
  struct Row {
    std::int64_t opset, axis;
    bool is_mapped;
  };
  for (const Row& row :
       {Row{13, 1, true}, Row{13, -3, true}, Row{13, -1, false}, Row{12, 1, false}}) {
    CAPTURE(row.opset);
    CAPTURE(row.axis);
    ModelBuilder model({1, 4, 8, 8}, row.opset);
    model.node("Softmax", {"x"}).set("axis", row.axis);
    if (row.is_mapped) {
      CHECK(model.import().network.layer_count() == 2);
    } else {
      CHECK(contains(refusal_of(model), "other dims than the channels"));
    }
  }
  ModelBuilder old({1, 4, 1, 1}, 12);
  old.node("Softmax", {"x"});
  CHECK(old.import().network.layer_count() == 2);
}

TEST_CASE("Import: values that lie in other files are needed for shapes only") {
  const auto make_external = [](ModelBuilder& model) {
    onnx::TensorProto& tensor = *model.message().mutable_graph()->mutable_initializer(0);
    tensor.clear_float_data();
    tensor.clear_int64_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value("/etc/passwd");
  };
  ModelBuilder weights;
  weights.weight("w", {2, 4, 3, 3});
  weights.node("Conv", {"x", "w"});
  make_external(weights);
  const ImportedModel imported = weights.import();
  CHECK(imported.network.parameter_count() == 72);
  const InputProblem problem = problem_of([&] { values_of(imported.tensors[0], "m.onnx"); });
  CHECK(problem.pointer == "/y/weight");
  CHECK(contains(problem.value, "another file"));
  ModelBuilder target;
  target.integers("target", {1, -1});
  target.node("Reshape", {"x", "target"});
  make_external(target);
  CHECK(contains(refusal_of(target), "another file"));
  // The first initializer is an exponent, which decides whether nodes are a norm.
  ModelBuilder exponent;
  exponent.reals("two", {}, {2});
  exponent.node("ReduceMean", {"x"}, {"mean"}).set("axes", Dims{-1});
  exponent.node("Sub", {"x", "mean"}, {"difference"});
  exponent.node("Pow", {"difference", "two"}, {"square"});
  exponent.node("ReduceMean", {"square"}, {"variance"}).set("axes", Dims{-1});
  exponent.node("Add", {"variance", "two"}, {"sum"});
  exponent.node("Sqrt", {"sum"}, {"root"});
  exponent.node("Div", {"difference", "root"});
  make_external(exponent);
  CHECK(refusals_of(exponent, {.planning = true}).at(0).type == "ReduceMean");
}

TEST_CASE("Import: nodes in any order become the layers that nodes in order become") {
  ModelBuilder sorted;
  sorted.node("Relu", {"x"}, {"a"});
  sorted.node("LeakyRelu", {"a"}, {"b"});
  sorted.node("Add", {"a", "b"});
  const Network expected = sorted.import().network;
  std::vector<int> order{0, 1, 2};
  do {
    ModelBuilder model = sorted;
    for (int i = 0; i < 3; ++i) {
      *model.message().mutable_graph()->mutable_node(i) =
          sorted.message().graph().node(order[static_cast<std::size_t>(i)]);
    }
    CHECK(model.import().network == expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("Import: a cycle of nodes is named") {
  ModelBuilder model;
  model.node("Relu", {"x"}, {"a"}).called("before");
  model.node("Add", {"a", "c"}, {"b"}).called("first");
  model.node("Relu", {"b"}, {"c"}).called("second");
  model.node("Relu", {"c"}).called("after");
  const InputProblem problem = problem_of([&] { model.import(); });
  CHECK(problem.file == "m.onnx");
  CHECK(contains(problem.value, "a cycle of nodes"));
  CHECK(contains(problem.value, "'first' (Add)"));
  CHECK(contains(problem.value, "'second' (Relu)"));
  CHECK_FALSE(contains(problem.value, "before"));
  CHECK_FALSE(contains(problem.value, "after"));
  ModelBuilder own;
  own.node("Add", {"x", "y"});
  CHECK(contains(problem_of([&] { own.import(); }).value, "a cycle of nodes"));
}

TEST_CASE("Import: a value that no node makes, values made twice, several inputs") {
  ModelBuilder missing;
  missing.node("Add", {"x", "nowhere"});
  CHECK(contains(refusal_of(missing), "'nowhere' is made by no node"));
  ModelBuilder twice;
  twice.node("Relu", {"x"}, {"a"});
  twice.node("LeakyRelu", {"x"}, {"a"});
  twice.node("Relu", {"a"});
  CHECK(contains(refusal_of(twice), "which exists already"));
  ModelBuilder inputs;
  auto& second = *inputs.message().mutable_graph()->add_input();
  second = inputs.message().graph().input(0);
  second.set_name("z");
  inputs.node("Add", {"x", "z"});
  CHECK(contains(problem_of([&] { inputs.import(); }).value, "2 inputs"));
}

TEST_CASE("Import: outputs that are no scores of classes, and other losses") {
  ModelBuilder flattened;
  flattened.node("Flatten", {"x"});
  const InputProblem view = problem_of([&] { flattened.import(); });
  CHECK(view.value == "dims (1, 256), another view of an image (1, 4, 8, 8)");
  CHECK(contains(view.allowed, "as a layer makes them"));
  ModelBuilder padded;
  padded.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  padded.node("Pad", {"x", "pads"});
  CHECK(contains(problem_of([&] { padded.import(); }).value, "zeros of a Pad node"));
  ModelBuilder relu;
  relu.node("Relu", {"x"});
  CHECK(problem_of([&] { relu.import({.loss = "hinge"}); }).file == "--loss");
}

TEST_CASE("Import: a mean squared error is of the outputs as they are") {
  ModelBuilder model;
  model.node("Relu", {"x"});
  const Network network = model.import({.loss = "mean_squared_error"}).network;
  CHECK(network.layer(network.loss_layer()).parameters == LayerParameters(MeanSquaredError{}));
  ModelBuilder softmax;
  softmax.node("Softmax", {"x"}).set("axis", std::int64_t{1});
  const std::vector<Refusal> refusals = refusals_of(softmax, {.loss = "mean_squared_error"});
  REQUIRE(refusals.size() == 1);
  CHECK(contains(refusals[0].reason, "only the loss cross_entropy"));
}

TEST_CASE("Import: further outputs get losses with weights, or are left out with a note") {
  ModelBuilder model;
  model.weight("w", {3, 4, 1, 1}).weight("v", {3, 4, 1, 1}).weight("wide", {5, 4, 1, 1});
  model.node("Conv", {"x", "w"}, {"y"}).called("/main/Conv");
  model.node("Conv", {"x", "v"}, {"side"}).called("/side/Conv");
  model.node("Softmax", {"side"}, {"aux=1"}).set("axis", std::int64_t{1});
  model.node("Conv", {"x", "wide"}, {"z"});
  model.output("y").output("aux=1").output("z");
  const ImportedModel plain = model.import();
  CHECK(plain.network.layer_count() == 3);
  REQUIRE(plain.notes.size() == 2);
  CHECK(contains(plain.notes[0], "'aux=1': --auxiliary"));

  const ImportedModel both = model.import({.auxiliary = {"aux=1=0.25"}});
  const Network& network = both.network;
  REQUIRE(network.layer_count() == 5);
  CHECK(network.layer(LayerIndex(3)).name == "aux_1_loss");
  CHECK(network.layer(LayerIndex(3)).inputs ==
        std::vector<std::string>{network.layer(LayerIndex(2)).name});
  CHECK(network.layer(LayerIndex(3)).parameters ==
        LayerParameters(SoftmaxCrossEntropy{.weight = 0.25}));
  CHECK(network.layer(LayerIndex(4)).name == "loss");
  CHECK(network.layer(LayerIndex(4)).inputs ==
        std::vector<std::string>{network.layer(LayerIndex(1)).name});
  CHECK(both.tensors.size() == 2);
  const ImportedModel error =
      model.import({.output = "z", .loss = "mean_squared_error", .auxiliary = {}});
  CHECK(error.network.layer_count() == 3);

  const auto refused = [&](const std::string& text) {
    return problem_of([&] { model.import({.auxiliary = {"aux=1=0.5", text}}); });
  };
  for (const char* text : {"y",
                           "=1",
                           "side=",
                           "side=x",
                           "side=0",
                           "side=-1",
                           "side=inf",
                           "side=nan",
                           "side=1e7",
                           "side=1 ",
                           "aux=1=0.5",
                           "y=0.5"}) {
    CAPTURE(text);
    CHECK(refused(text).file == "--auxiliary");
  }
  CHECK(contains(refused("z=0.5").allowed, "as the main output 'y'"));
  CHECK(contains(refused("none=0.5").pointer, "output 'none'"));
}

TEST_CASE("Networks and models are distinguished by their content") {
  ModelBuilder model;
  model.node("Relu", {"x"});
  const std::string bytes = model.bytes();
  std::vector<std::string> notes;
  const Network imported = parse_network_or_model({bytes, "m.json", ""}, notes);
  CHECK(imported.layer_count() == 3);
  const std::string json = to_json(imported);
  CHECK(parse_network_or_model({json, "m.onnx", ""}, notes) == imported);
  CHECK(parse_network_or_model({json, "m.onnx", "5x6"}, notes) ==
        parse_network_or_model({bytes, "m.json", "4x5x6"}, notes));
}

}  // namespace
}  // namespace cnnplan::test
