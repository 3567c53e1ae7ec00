// Tests the import of operators that change shapes: reshapes, resizes, and constants of shapes.
#include <limits>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

// Appends a fully connected layer after "f", which must be flattened to 256 numbers.
void add_head(ModelBuilder& model) {
  model.weight("head", {256, 3});
  model.node("MatMul", {"f", "head"});
}

void check_head(ModelBuilder& model) {
  const ImportedModel imported = model.import();
  CHECK(imported.network.layer_count() == 3);
  CHECK(imported.tensors[0].extents == Dims{3, 4, 8, 8});
}

TEST_CASE("Flatten and Reshape: before a fully connected layer") {
  ModelBuilder flatten;
  flatten.node("Flatten", {"x"}, {"f"}).set("axis", std::int64_t{-3});
  add_head(flatten);
  check_head(flatten);
  for (const Dims& target : {Dims{1, 256}, Dims{1, -1}, Dims{-1, 256}, Dims{0, -1}}) {
    ModelBuilder reshape;
    reshape.integers("target", target);
    reshape.node("Reshape", {"x", "target"}, {"f"});
    add_head(reshape);
    check_head(reshape);
  }
}

TEST_CASE("Reshape: a target computed of the input's own shape") {
  ModelBuilder model({0, 4, 8, 8});
  model.integers("rest", {-1}).integers("zero", {0});
  model.message().mutable_graph()->mutable_initializer(1)->clear_dims();
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"n"});
  model.node("Unsqueeze", {"n"}, {"list"}).set("axes", Dims{0});
  model.node("Concat", {"list", "rest"}, {"target"}).set("axis", std::int64_t{0});
  model.node("Reshape", {"x", "target"}, {"f"});
  add_head(model);
  check_head(model);
}

TEST_CASE("Constants: slices, casts and arithmetic of shapes") {
  ModelBuilder model;
  model.integers("from", {1}).integers("end", {9223372036854775807}).integers("four", {4});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Slice", {"shape", "from", "end"}, {"chw"});
  model.node("Cast", {"chw"}, {"reals"}).set("to", std::int64_t{1});
  model.node("Cast", {"reals"}, {"again"}).set("to", std::int64_t{7});
  model.node("Mul", {"again", "four"}, {"times"});
  model.node("Div", {"times", "four"}, {"same"});
  model.node("Constant", {}, {"n"}).set("value_ints", Dims{1});
  model.node("Concat", {"n", "same"}, {"target"}).set("axis", std::int64_t{0});
  model.node("Reshape", {"x", "target"}, {"r"});
  model.node("Flatten", {"r"}, {"f"});
  add_head(model);
  check_head(model);
}

TEST_CASE("Constants: elements counted from the end, and not beyond") {
  for (const std::int64_t index : {-4, 0, 3, 4, -5}) {
    CAPTURE(index);
    ModelBuilder model;
    model.integers("index", {index}).integers("rest", {-1});
    model.node("Shape", {"x"}, {"shape"});
    model.node("Gather", {"shape", "index"}, {"picked"});
    model.node("Concat", {"picked", "rest"}, {"target"}).set("axis", std::int64_t{0});
    model.node("Reshape", {"x", "target"}, {"f"});
    add_head(model);
    if (index == -4 || index == 0) {
      check_head(model);
    } else {
      CHECK(contains(refusal_of(model), index == 3 ? "only flatten" : "of 4 dims"));
    }
  }
}

TEST_CASE("Constants: divisors, repetitions and casts are checked") {
  const auto refusal_with = [](const std::string& type, const Dims& a, const Dims& b) {
    ModelBuilder model;
    model.integers("a", a).integers("b", b);
    model.node(type, {"a", "b"}, {"c"});
    model.node("Reshape", {"x", "c"});
    return refusal_of(model);
  };
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(contains(refusal_with("Div", {1, 256}, {0}), "divides by 0"));
  CHECK(contains(refusal_with("Div", {least}, {-1}), "divides by -1"));
  CHECK(contains(refusal_with("Sub", {1, 256}, {least}), "large"));
  CHECK(contains(refusal_with("Mul", {1, 256}, {1, 2, 3}), "unequal dims"));
  CHECK(contains(refusal_with("Add", {least}, {-1}), "allowed"));
  ModelBuilder large;
  large.integers("shape", {1 << 20, 1 << 20});
  large.node("ConstantOfShape", {"shape"}, {"c"});
  large.node("Reshape", {"x", "c"});
  CHECK(contains(refusal_of(large), "a constant of"));
}

TEST_CASE("Squeeze and Unsqueeze: dims of 1 around channels, by attribute or input") {
  ModelBuilder model({1, 4, 8, 8}, 11);
  model.node("GlobalAveragePool", {"x"}, {"g"});
  model.node("Squeeze", {"g"}, {"s"}).set("axes", Dims{2, 3});
  model.node("Unsqueeze", {"s"}, {"u"}).set("axes", Dims{2, 3});
  model.node("Squeeze", {"u"}, {"t"}).set("axes", Dims{-1, -2});
  model.node("Relu", {"t"});
  CHECK(model.import().network.layer_count() == 4);
  ModelBuilder samples;
  samples.node("Squeeze", {"x"});
  CHECK(contains(refusal_of(samples), "only flatten"));
}

TEST_CASE("Elementwise layers keep a flattened activation flattened") {
  ModelBuilder model;
  model.node("Flatten", {"x"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  model.node("Dropout", {"b"}, {"f"});
  model.weight("head", {256, 3});
  model.node("MatMul", {"f", "head"});
  CHECK(model.import().tensors[0].extents == Dims{3, 4, 8, 8});
}

TEST_CASE("Reshape: everything except flattening is refused") {
  for (const Dims& target : {Dims{1, 4, 2, 4, 8}, Dims{2, 128}, Dims{1, 4, 64}, Dims{1, 8, 8, 4}}) {
    ModelBuilder model;
    model.integers("target", target);
    model.node("Reshape", {"x", "target"});
    CHECK(contains(refusal_of(model), "only flatten"));
  }
  for (const Dims& target : {Dims{1, 255}, Dims{-1, -1}, Dims{1, -7}}) {
    ModelBuilder model;
    model.integers("target", target);
    model.node("Reshape", {"x", "target"});
    CHECK_FALSE(contains(refusal_of(model), "only flatten"));
  }
  ModelBuilder transposed;
  transposed.node("Transpose", {"x"}).set("perm", Dims{0, 3, 2, 1});
  CHECK(contains(refusal_of(transposed), "exchanges dims"));
}

const Dims to_last{0, 2, 3, 1};
const Dims to_first{0, 3, 1, 2};

TEST_CASE("Transpose: channels may be last for element-wise layers and products") {
  ModelBuilder model({2, 4, 8, 6});
  model.node("Transpose", {"x"}, {"t"}).set("perm", to_last);
  model.node("Relu", {"t"}, {"r"});
  model.weight("w", {4, 5}).node("MatMul", {"r", "w"}, {"p"}).called("product");
  model.weight("b", {5}).node("Add", {"b", "p"}, {"s"});
  model.node("Transpose", {"s"}).set("perm", to_first);
  const ImportedModel imported = model.import();
  REQUIRE(imported.network.layer_count() == 4);
  const auto& product = std::get<Convolution>(last_layer(imported).parameters);
  CHECK(product == Convolution{.filters = 5, .bias = true});
  CHECK(imported.network.output_shape(imported.network.loss_layer() - 1, 2) ==
        Shape{{2, 5, 1, 8, 6}});
  const ImportedTensor& weight = tensor_of(imported, "weight");
  CHECK(weight.extents == Dims{5, 4, 1, 1});
  CHECK(weight.is_transposed);  // the file has (inputs, outputs)
  CHECK(tensor_of(imported, "bias").extents == Dims{5});
}

TEST_CASE("Transpose: channels that are last are refused by everything else") {
  const auto refused = [](const std::string& reason, const auto& add_nodes) {
    ModelBuilder model;
    model.node("Transpose", {"x"}, {"t"}).set("perm", to_last);
    add_nodes(model);
    CHECK(contains(refusal_of(model), reason));
  };
  refused("has channels last", [](ModelBuilder& model) {
    model.node("MaxPool", {"t"}).set("kernel_shape", Dims{2, 2});
  });
  refused("channels last", [](ModelBuilder& model) { model.node("Flatten", {"t"}); });
  refused("exchanges dims",
          [](ModelBuilder& model) { model.node("Transpose", {"t"}).set("perm", to_last); });
  refused("of unequal dims", [](ModelBuilder& model) { model.node("Add", {"x", "t"}); });
  refused("no convolution of one point", [](ModelBuilder& model) {
    model.weight("w", {8, 4}).node("MatMul", {"t", "w"});
  });
  refused("neither one number nor one for each channel", [](ModelBuilder& model) {
    model.weight("w", {4, 8}).node("MatMul", {"t", "w"}, {"p"});
    model.weight("b", {8, 1}).node("Add", {"p", "b"});
  });
  for (const char* type : {"Add", "GlobalAveragePool", "MaxPool"}) {
    CAPTURE(type);
    ModelBuilder cube({1, 8, 8, 8});  // dims are equal in both layouts
    cube.node("Transpose", {"x"}, {"t"}).set("perm", to_last);
    const bool is_sum = std::string(type) == "Add";
    NodeBuilder node = cube.node(
        type, is_sum ? std::vector<std::string>{"x", "t"} : std::vector<std::string>{"t"});
    if (std::string(type) == "MaxPool") node.set("kernel_shape", Dims{2, 2});
    CHECK(contains(refusal_of(cube), is_sum ? "of unequal dims" : "has channels last"));
  }
  ModelBuilder output({1, 8, 8, 8});
  output.node("Transpose", {"x"}).set("perm", to_last);
  CHECK(contains(problem_of([&] { output.import(); }).value, "channels last"));
}

TEST_CASE(
    "Resize: nearest neighbour by integers, by scales or sizes, where o is floor(o / factor)") {
  struct Row {
    const char* where;
    const char* rounding;
    bool is_mapped;
  };
  for (const Row& row : {Row{"asymmetric", "floor", true},
                         Row{"half_pixel", "round_prefer_floor", true},
                         Row{"half_pixel", "floor", false},
                         Row{"asymmetric", "ceil", false},
                         Row{"align_corners", "floor", false}}) {
    CAPTURE(row.where);
    CAPTURE(row.rounding);
    ModelBuilder model;
    model.reals("scales", {4}, {1, 1, 2, 3});
    model.node("Resize", {"x", "", "scales"})
        .set("coordinate_transformation_mode", row.where)
        .set("nearest_mode", row.rounding);
    if (!row.is_mapped) {
      CHECK(contains(refusal_of(model), "nearest neighbour"));
      continue;
    }
    CHECK(last_layer(model.import()).parameters == LayerParameters(Upsample{.factor = {1, 2, 3}}));
  }
  ModelBuilder sizes;
  sizes.integers("sizes", {1, 4, 16, 16});
  sizes.node("Resize", {"x", "", "", "sizes"});
  CHECK(last_layer(sizes.import()).parameters == LayerParameters(Upsample{.factor = {1, 2, 2}}));
  ModelBuilder old({1, 4, 8, 8}, 7);
  old.node("Upsample", {"x"}).set_reals("scales", {1, 1, 2, 2});
  CHECK(last_layer(old.import()).parameters == LayerParameters(Upsample{.factor = {1, 2, 2}}));
}

TEST_CASE("Resize: linear, at either kind of coordinates") {
  for (const char* where : {"half_pixel", "pytorch_half_pixel", "align_corners"}) {
    CAPTURE(where);
    ModelBuilder model;
    model.integers("sizes", {1, 4, 16, 24});
    model.node("Resize", {"x", "", "", "sizes"})
        .set("mode", "linear")
        .set("coordinate_transformation_mode", where);
    const Upsample expected{.factor = {1, 2, 3},
                            .mode = UpsampleMode::linear,
                            .align_corners = std::string(where) == "align_corners"};
    CHECK(last_layer(model.import()).parameters == LayerParameters(expected));
  }
}

TEST_CASE("Resize: refusals") {
  const auto refused = [](const char* mode, const char* where) {
    ModelBuilder model;
    model.reals("scales", {4}, {1, 1, 2, 2});
    model.node("Resize", {"x", "", "scales"})
        .set("mode", mode)
        .set("coordinate_transformation_mode", where);
    return refusal_of(model);
  };
  CHECK(contains(refused("cubic", "half_pixel"), "by mode cubic"));
  CHECK(contains(refused("linear", "asymmetric"), "half_pixel and align_corners"));
  ModelBuilder old({1, 4, 8, 8}, 9);
  old.reals("scales", {4}, {1, 1, 2, 2});
  old.node("Upsample", {"x", "scales"}).set("mode", "linear");
  CHECK(contains(refusal_of(old), "half_pixel and align_corners"));
  ModelBuilder fraction;
  fraction.reals("scales", {4}, {1, 1, 1.5, 2});
  fraction.node("Resize", {"x", "", "scales"});
  CHECK(contains(refusal_of(fraction), "by integers"));
  ModelBuilder channels;
  channels.reals("scales", {4}, {1, 2, 1, 1});
  channels.node("Resize", {"x", "", "scales"});
  CHECK(contains(refusal_of(channels), "only images"));
}

}  // namespace
}  // namespace cnnplan::test
