// Tests the import of slices, splits and channel shuffles.
#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

LayerParameters slice(std::int64_t first, std::int64_t channels) {
  return Slice{.first_channel = first, .channels = channels};
}

// Returns a model that slices (2, 6, 8, 8) by inputs of the node. Empty steps are left out.
ModelBuilder slice_model(const Dims& starts,
                         const Dims& ends,
                         const Dims& axes,
                         const Dims& steps) {
  ModelBuilder model({2, 6, 8, 8});
  model.integers("starts", starts).integers("ends", ends).integers("axes", axes);
  if (!steps.empty()) model.integers("steps", steps);
  std::vector<std::string> inputs{"x", "starts", "ends", "axes"};
  if (!steps.empty()) inputs.push_back("steps");
  model.node("Slice", inputs);
  return model;
}

TEST_CASE("Slice: channels from begin to end, counted from either side") {
  struct Row {
    std::int64_t start;
    std::int64_t end;
    std::int64_t first;
    std::int64_t channels;
  };
  constexpr std::int64_t far = 9223372036854775807;
  for (const Row& row :
       {Row{0, 2, 0, 2}, Row{2, far, 2, 4}, Row{-2, far, 4, 2}, Row{-far, -1, 0, 5}}) {
    CAPTURE(row.start);
    ModelBuilder model = slice_model({row.start}, {row.end}, {-3}, {});
    CHECK(last_layer(model.import()).parameters == slice(row.first, row.channels));
  }
  ModelBuilder old({2, 6, 8, 8}, 9);
  old.node("Slice", {"x"}).set("starts", Dims{0, 1}).set("ends", Dims{2, 4});
  CHECK(last_layer(old.import()).parameters == slice(1, 3));
}

TEST_CASE("Slice: a slice of all other dims is ignored") {
  ModelBuilder model = slice_model({0, 3, 0}, {2, 6, 100}, {0, 1, 2}, {1, 1, 1});
  CHECK(last_layer(model.import()).parameters == slice(3, 3));
  ModelBuilder nothing = slice_model({0}, {6}, {1}, {});
  nothing.message().mutable_graph()->mutable_node(0)->set_output(0, "all");
  nothing.node("Relu", {"all"});
  CHECK(nothing.import().network.layer_count() == 3);
}

TEST_CASE("Slice: refusals") {
  const auto refused =
      [](const Dims& starts, const Dims& ends, const Dims& axes, const Dims& steps) {
        ModelBuilder model = slice_model(starts, ends, axes, steps);
        return refusal_of(model);
      };
  CHECK(contains(refused({0}, {1}, {0}, {}), "slices dim 0"));
  CHECK(contains(refused({1}, {8}, {2}, {}), "slices dim 2"));
  CHECK(contains(refused({0}, {6}, {1}, {2}), "by steps"));
  CHECK(contains(refused({6}, {0}, {1}, {-1}), "by steps"));
  CHECK(contains(refused({3}, {3}, {1}, {}), "without channels"));
  CHECK(contains(refused({4}, {2}, {1}, {}), "without channels"));
  CHECK(contains(refused({0, 1}, {3, 3}, {1, -3}, {}), "an axis twice"));
  CHECK(contains(refused({0, 1}, {3}, {1}, {}), "unequal numbers"));
  ModelBuilder bare;
  bare.node("Slice", {"x"});
  CHECK(contains(refusal_of(bare), "starts or ends are missing"));
  CHECK(contains(refused({0}, {1}, {4}, {}), "of 4 dims"));
  ModelBuilder flattened;
  flattened.integers("from", {0}).integers("to", {2}).integers("axis", {1});
  flattened.node("Flatten", {"x"}, {"f"});
  flattened.node("Slice", {"f", "from", "to", "axis"});
  CHECK(contains(refusal_of(flattened), "flattened"));
}

// Joins the last part of a model and the part before it, and imports the model.
ImportedModel split_and_joined(ModelBuilder& model, const std::vector<std::string>& parts) {
  const std::size_t count = parts.size();
  model.node("Concat", {parts[count - 1], parts[count - 2]}).set("axis", std::int64_t{1});
  return model.import();
}

TEST_CASE("Split: a slice for each part that is used") {
  ModelBuilder equal({2, 6, 8, 8});
  equal.node("Split", {"x"}, {"a", "b", "c"}).set("axis", std::int64_t{1});
  const ImportedModel thirds = split_and_joined(equal, {"a", "b", "c"});
  REQUIRE(thirds.network.layer_count() == 5);
  CHECK(thirds.network.layer(LayerIndex(1)).parameters == slice(2, 2));
  CHECK(thirds.network.layer(LayerIndex(2)).parameters == slice(4, 2));
  CHECK(thirds.network.layer(LayerIndex(3)).inputs ==
        std::vector<std::string>{thirds.network.layer(LayerIndex(2)).name,
                                 thirds.network.layer(LayerIndex(1)).name});
  ModelBuilder by_input({2, 6, 8, 8});
  by_input.integers("sizes", {1, 5});
  by_input.node("Split", {"x", "sizes"}, {"a", "b"}).set("axis", std::int64_t{-3});
  const ImportedModel unequal = split_and_joined(by_input, {"a", "b"});
  CHECK(unequal.network.layer(LayerIndex(1)).parameters == slice(0, 1));
  CHECK(unequal.network.layer(LayerIndex(2)).parameters == slice(1, 5));
  ModelBuilder by_attribute({2, 6, 8, 8}, 11);
  by_attribute.node("Split", {"x"}, {"a", "b"})
      .set("axis", std::int64_t{1})
      .set("split", Dims{4, 2});
  CHECK(split_and_joined(by_attribute, {"a", "b"}).network.layer(LayerIndex(2)).parameters ==
        slice(4, 2));
  // The last part is smaller if the parts cannot be equal.
  ModelBuilder last({2, 7, 8, 8}, 18);
  last.node("Split", {"x"}, {"a", "b"}).set("axis", std::int64_t{1});
  CHECK(split_and_joined(last, {"a", "b"}).network.layer(LayerIndex(2)).parameters == slice(4, 3));
}

TEST_CASE("Split: refusals") {
  const auto refused = [](const Dims& sizes, std::int64_t axis) {
    ModelBuilder model({2, 6, 8, 8});
    model.integers("sizes", sizes);
    model.node("Split", {"x", "sizes"}, {"y", "z"}).set("axis", axis);
    return refusal_of(model);
  };
  CHECK(contains(refused({1, 1}, 0), "splits dim 0"));
  CHECK(contains(refused({4, 4}, 2), "splits dim 2"));
  CHECK(contains(refused({3, 2}, 1), "6 channels into (3, 2)"));
  CHECK(contains(refused({7, -1}, 1), "6 channels into (7, -1)"));
  CHECK(contains(refused({2, 2, 2}, 1), "into 3 parts, with 2 outputs"));
  CHECK(contains(refused(Dims(1000, 0), 1), "into 1000 parts"));
  ModelBuilder counted({2, 6, 8, 8}, 18);
  counted.node("Split", {"x"}, {"y", "z"})
      .set("axis", std::int64_t{1})
      .set("num_outputs", std::int64_t{3});
  CHECK(contains(refusal_of(counted), "into 3 parts"));
  CHECK(contains(refused({0, 6}, 1), "without channels"));
  ModelBuilder many({2, 7, 8, 8}, 18);
  many.node("Split", {"x"}, {"y", "a", "b", "c", "d"}).set("axis", std::int64_t{1});
  CHECK(contains(refusal_of(many), "7 channels into (2, 2, 2, 2, -1)"));
}

TEST_CASE("Split: is not refused because the node before it is") {
  ModelBuilder model({2, 6, 8, 8});
  model.node("HardSwish", {"x"}, {"h"});
  model.node("Split", {"h"}, {"a", "b"}).set("axis", std::int64_t{1});
  model.node("Concat", {"b", "a"}).set("axis", std::int64_t{1});
  CHECK(refusals_of(model).size() == 1);
}

TEST_CASE("Split: a part of which only the shape is used is no layer") {
  ModelBuilder model({2, 6, 8, 8});
  model.node("Split", {"x"}, {"a", "b"}).set("axis", std::int64_t{1});
  model.node("Shape", {"a"}, {"shape"});
  model.node("Reshape", {"b", "shape"});
  const ImportedModel imported = model.import();
  CHECK(imported.network.layer_count() == 3);
  CHECK(last_layer(imported).parameters == slice(3, 3));
}

// Returns a model that applies Reshape to `groups`, Transpose and Reshape to `back`, from (1, 12,
// 4, 4) to "y".
ModelBuilder shuffle_model(const Dims& groups, const Dims& order, const Dims& back) {
  ModelBuilder model({1, 12, 4, 4});
  model.integers("groups", groups).integers("back", back);
  model.node("Reshape", {"x", "groups"}, {"g"});
  model.node("Transpose", {"g"}, {"t"}).set("perm", order);
  model.node("Reshape", {"t", "back"}, {"y"});
  return model;
}

TEST_CASE("Reshape, Transpose, Reshape: a channel shuffle") {
  for (const Dims& back : {Dims{1, 12, 4, 4}, Dims{1, -1, 4, 4}, Dims{0, 12, 4, 4}}) {
    ModelBuilder image = shuffle_model({1, 3, 4, 4, 4}, {0, 2, 1, 3, 4}, back);
    CHECK(last_layer(image.import()).parameters == LayerParameters(ChannelShuffle{.groups = 3}));
  }
  ModelBuilder flat = shuffle_model({1, 3, 4, 16}, {0, 2, 1, 3}, {1, 12, 4, 4});
  CHECK(last_layer(flat.import()).parameters == LayerParameters(ChannelShuffle{.groups = 3}));
  ModelBuilder flattened = shuffle_model({1, 2, 6, 16}, {0, 2, 1, 3}, {1, 192});
  flattened.message().mutable_graph()->mutable_node(2)->set_output(0, "f");
  flattened.weight("w", {192, 2});
  flattened.node("MatMul", {"f", "w"});
  const ImportedModel imported = flattened.import();
  CHECK(imported.network.layer(LayerIndex(1)).parameters ==
        LayerParameters(ChannelShuffle{.groups = 2}));
  CHECK(imported.tensors[0].extents == Dims{2, 12, 4, 4});
}

TEST_CASE("Reshape, Transpose, Reshape: no layer where channels stay in order") {
  const Dims image{1, 12, 4, 4};
  for (const Dims& groups : {Dims{1, 1, 12, 4, 4}, Dims{1, 12, 1, 4, 4}, Dims{1, 12, 1, 16}}) {
    Dims order{0, 2, 1, 3, 4};
    order.resize(groups.size());
    ModelBuilder model = shuffle_model(groups, order, image);
    model.message().mutable_graph()->mutable_node(2)->set_output(0, "r");
    model.node("Relu", {"r"});
    CHECK(model.import().network.layer_count() == 3);
  }
  ModelBuilder twice = shuffle_model({1, 3, 4, 16}, {0, 2, 1, 3}, image);
  twice.message().mutable_graph()->mutable_node(2)->set_input(0, "u");
  twice.message().mutable_graph()->mutable_node(2)->set_output(0, "r");
  onnx::GraphProto& graph = *twice.message().mutable_graph();
  twice.node("Transpose", {"t"}, {"u"}).set("perm", Dims{0, 2, 1, 3});
  graph.mutable_node()->SwapElements(2, 3);
  twice.node("Relu", {"r"});
  CHECK(twice.import().network.layer_count() == 3);
}

TEST_CASE("Channels in groups: refusals") {
  ModelBuilder used({1, 12, 4, 4});
  used.integers("groups", {1, 3, 4, 16});
  used.node("Reshape", {"x", "groups"}, {"g"});
  used.node("Relu", {"g"});
  CHECK(contains(refusal_of(used), "channels in groups"));
  ModelBuilder order = shuffle_model({1, 3, 4, 16}, {0, 1, 3, 2}, {1, 12, 4, 4});
  CHECK(contains(refusals_of(order).at(0).reason, "exchanges dims"));
  ModelBuilder no_groups = shuffle_model({1, 3, 8, 8}, {0, 2, 1, 3}, {1, 12, 4, 4});
  CHECK(contains(refusals_of(no_groups).at(0).reason, "shuffle channels"));
  ModelBuilder samples({2, 12, 4, 4});
  samples.integers("groups", {24, 1, 4, 4});
  samples.node("Reshape", {"x", "groups"});
  CHECK(contains(refusal_of(samples), "shuffle channels"));
}

}  // namespace
}  // namespace cnnplan::test
