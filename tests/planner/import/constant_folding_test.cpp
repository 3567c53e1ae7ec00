// Tests arithmetic on constants of all shapes against a plain walk over indices, and casts.
#include "planner/import/folding/constant_folding.hpp"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/import/onnx/tensor_values.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

std::int64_t product(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  return count;
}

// Folds a node with two constants. Returns nothing if they do not go together.
std::optional<OnnxTensor> folded(const std::string& type, TensorPointer a, TensorPointer b) {
  const OnnxNode node{.name = {},
                      .type = type,
                      .domain = {},
                      .inputs = {"a", "b"},
                      .outputs = {"c"},
                      .attributes = {}};
  const Values values{{"a", Constant{std::move(a)}}, {"b", Constant{std::move(b)}}};
  try {
    return *fold(NodeReader(node, values, 13)).tensor;
  } catch (const UnmappedNode&) {
    return std::nullopt;
  }
}

// The rule of NumPy: dims are aligned at their ends, and dims of 1 are repeated.
std::optional<Dims> numpy_dims(Dims a, Dims b) {
  while (a.size() < b.size()) a.insert(a.begin(), 1);
  while (b.size() < a.size()) b.insert(b.begin(), 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return std::nullopt;
    a[i] = a[i] == 1 ? b[i] : a[i];
  }
  return a;
}

// Returns the element of `values` at an index of the result.
double element_at(const std::vector<double>& values, const Dims& dims, const Dims& index) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t own = index[index.size() - dims.size() + i];
    place = place * static_cast<std::size_t>(dims[i]) +
            static_cast<std::size_t>(dims[i] == 1 ? 0 : own);
  }
  return values.at(place);
}

double expected_of(const std::string& type, double a, double b) {
  if (type == "Add") return a + b;
  if (type == "Sub") return a - b;
  return type == "Mul" ? a * b : a / b;
}

void check_folded(const std::string& type, const Dims& a, const Dims& b) {
  CAPTURE(type);
  CAPTURE(dims_text(a));
  CAPTURE(dims_text(b));
  std::vector<double> left;
  std::vector<double> right;
  for (std::int64_t i = 0; i < product(a); ++i) left.push_back(static_cast<double>(i) + 0.5);
  for (std::int64_t i = 0; i < product(b); ++i) right.push_back(static_cast<double>(i) * 7 + 1);
  const auto result = folded(type, real_tensor(a, left), real_tensor(b, right));
  const std::optional<Dims> dims = numpy_dims(a, b);
  REQUIRE(result.has_value() == dims.has_value());
  if (!dims) return;
  CHECK(result->dims == *dims);
  Dims index(dims->size());
  for (const double value : reals_of(*result)) {
    CHECK(value == expected_of(type, element_at(left, a, index), element_at(right, b, index)));
    for (std::size_t i = index.size(); i-- > 0;) {
      if (++index[i] < (*dims)[i]) break;
      index[i] = 0;
    }
  }
}

TEST_CASE("Constants: arithmetic broadcasts as NumPy does, or is refused") {
  std::mt19937 numbers(5);
  const auto below = [&](unsigned end) { return static_cast<std::int64_t>(numbers() % end); };
  int fitting = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Dims a(static_cast<std::size_t>(below(5)));
    Dims b(static_cast<std::size_t>(below(5)));
    for (std::int64_t& extent : a) extent = below(4);
    for (std::int64_t& extent : b) extent = below(4);
    if (numpy_dims(a, b)) ++fitting;
    const char* types[] = {"Add", "Sub", "Mul", "Div"};
    check_folded(types[below(4)], a, b);
  }
  CHECK(fitting > 200);
}

TEST_CASE("Constants: integers stay integers, and large results are refused") {
  const auto sum = folded("Add", integer_tensor({2, 1}, {10, 20}), integer_tensor({3}, {1, 2, 3}));
  REQUIRE(sum);
  CHECK(is_integer(*sum));
  CHECK(sum->dims == Dims{2, 3});
  CHECK(integers_of(*sum) == Dims{11, 12, 13, 21, 22, 23});
  const std::vector<double> many(100, 1);
  CHECK_FALSE(folded("Add", real_tensor({100, 1}, many), real_tensor({100}, many)));
}

TEST_CASE("Constants: broadcast sums become weights of that shape") {
  ModelBuilder model({3, 4, 1, 1});
  model.weight("a", {4, 1}).weight("b", {4});
  model.node("Add", {"a", "b"}, {"w"});
  model.node("Flatten", {"x"}, {"f"});
  model.node("Gemm", {"f", "w"});
  const ImportedModel imported = model.import();
  CHECK(std::get<FullyConnected>(last_layer(imported).parameters).outputs == 4);
  ModelBuilder square({2, 2, 3, 3});
  square.weight("w", {3, 2, 1, 1}).weight("a", {3, 1, 1}).weight("b", {1, 1, 3});
  square.node("Add", {"a", "b"}, {"k"});
  square.node("Conv", {"x", "w"}, {"c"});
  square.node("Mul", {"c", "k"});
  CHECK(contains(refusal_of(square), "(3, 1, 3)"));
}

std::optional<std::vector<double>> cast_to(std::int64_t type, TensorPointer from) {
  const OnnxNode node{.name = {},
                      .type = "Cast",
                      .domain = {},
                      .inputs = {"a"},
                      .outputs = {"c"},
                      .attributes = {{"to", type}}};
  const Values values{{"a", Constant{std::move(from)}}};
  try {
    return reals_of(*fold(NodeReader(node, values, 13)).tensor);
  } catch (const UnmappedNode&) {
    return std::nullopt;
  }
}

TEST_CASE("Constants: casts round as their type does, or are refused") {
  using Reals = std::vector<double>;
  const auto reals = [](const Reals& values) {
    return real_tensor({static_cast<std::int64_t>(values.size())}, values);
  };
  const std::int64_t float32 = 1, int32 = 6, int64 = 7, boolean = 9, float16 = 10, bfloat16 = 16;
  CHECK(cast_to(float32, reals({0.1})) == Reals{static_cast<double>(0.1F)});
  CHECK(cast_to(int64, reals({1.9, -1.9})) == Reals{1, -1});
  CHECK(cast_to(int32, reals({2147483647.0})) == Reals{2147483647.0});
  CHECK_FALSE(cast_to(int32, reals({2147483648.0})));
  CHECK_FALSE(cast_to(int32, integer_tensor({1}, {std::int64_t{1} << 40})));
  CHECK(cast_to(int64, integer_tensor({1}, {std::int64_t{1} << 40})) == Reals{1099511627776.0});
  CHECK(cast_to(float16, reals({0, -0.5, 2047, 65504})) == Reals{0, -0.5, 2047, 65504});
  for (const double rounded : {0.1, 2049.0, 70000.0, 1e-30}) {
    CHECK_FALSE(cast_to(float16, reals({rounded})));
  }
  CHECK(cast_to(bfloat16, reals({255})) == Reals{255});
  CHECK_FALSE(cast_to(bfloat16, reals({257})));
  CHECK_FALSE(cast_to(boolean, reals({1})));
}

TEST_CASE("Nodes: an attribute and an input in its place are refused") {
  ModelBuilder model;
  model.reals("low", {}, {0}).reals("high", {}, {3});
  model.node("Clip", {"x", "low", "high"}).set("max", 6.0F);
  CHECK(contains(refusal_of(model), "both an attribute 'max' and an input"));
  ModelBuilder axes;
  axes.integers("axes", {2, 3});
  axes.node("ReduceMean", {"x", "axes"}).set("axes", Dims{2, 3});
  CHECK(contains(refusal_of(axes), "both an attribute 'axes' and an input"));
}

TEST_CASE("Resize: the identity is no reason to ignore a mode") {
  ModelBuilder model;
  model.reals("scales", {4}, {1, 1, 1, 1});
  model.node("Resize", {"x", "", "scales"})
      .set("coordinate_transformation_mode", "tf_crop_and_resize");
  CHECK(contains(refusal_of(model), "other than the nearest neighbour"));
}

}  // namespace
}  // namespace cnnplan::test
