// Tests the import of convolutions, poolings and pads: windows, padding, refusals.
#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/import/model_builder.hpp"

namespace cnnplan::test {
namespace {

Window window(const WindowDim& h, const WindowDim& w) {
  return {{WindowDim{}, h, w}};
}

Convolution convolution_of(const ImportedModel& model) {
  return std::get<Convolution>(last_layer(model).parameters);
}

TransposedConvolution transposed_of(const ImportedModel& model) {
  return std::get<TransposedConvolution>(last_layer(model).parameters);
}

Pooling pooling_of(const ImportedModel& model) {
  return std::get<Pooling>(last_layer(model).parameters);
}

TEST_CASE("Conv: groups, strides, dilations, asymmetric pads and bias") {
  ModelBuilder model;
  model.weight("w", {6, 2, 3, 2}).weight("b", {6});
  model.node("Conv", {"x", "w", "b"})
      .set("group", std::int64_t{2})
      .set("strides", Dims{2, 1})
      .set("dilations", Dims{1, 2})
      .set("pads", Dims{0, 1, 2, 0});
  const ImportedModel imported = model.import();
  const Convolution expected{
      .filters = 6,
      .window = window({.kernel = 3, .stride = 2, .padding_begin = 0, .padding_end = 2},
                       {.kernel = 2, .padding_begin = 1, .padding_end = 0, .dilation = 2}),
      .groups = 2,
      .bias = true};
  CHECK(convolution_of(imported) == expected);
  REQUIRE(imported.tensors.size() == 2);
  CHECK(imported.tensors[0].name == "weight");
  CHECK(imported.tensors[0].extents == Dims{6, 2, 3, 2});
  CHECK(imported.tensors[1].name == "bias");
  CHECK(imported.tensors[1].extents == Dims{6});
}

TEST_CASE("Conv: in one and three dims") {
  ModelBuilder line({1, 4, 9});
  line.weight("w", {2, 4, 3});
  line.node("Conv", {"x", "w"}).set("strides", Dims{2});
  const ImportedModel flat = line.import();
  CHECK(convolution_of(flat).window == window({}, {.kernel = 3, .stride = 2}));
  CHECK(flat.tensors[0].extents == Dims{2, 4, 1, 3});
  ModelBuilder block({1, 4, 5, 6, 7});
  block.weight("w", {2, 4, 1, 3, 3}).weight("v", {2, 2, 2, 1, 1});
  block.node("Conv", {"x", "w"}, {"a"});
  block.node("Conv", {"a", "v"});
  const ImportedModel deep = block.import();
  CHECK(convolution_of(deep).window.dims[0].kernel == 2);
  CHECK(deep.tensors[0].extents == Dims{2, 4, 3, 3});
  CHECK(deep.tensors[1].extents == Dims{2, 2, 2, 1, 1});
  CHECK(deep.network.output_shape(LayerIndex(0), 1) == Shape{{1, 4, 5, 6, 7}});
}

TEST_CASE("Conv: auto_pad keeps the extent over the stride, the odd zero at the end or before") {
  struct Row {
    const char* mode;
    WindowDim h, w;  // kernels 4 and 3 at strides 1 and 2 over 8
  };
  const Row rows[] = {
      {"SAME_UPPER", {4, 1, 1, 2}, {3, 2, 0, 1}},
      {"SAME_LOWER", {4, 1, 2, 1}, {3, 2, 1, 0}},
      {"VALID", {4, 1, 0, 0}, {3, 2, 0, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.mode);
    ModelBuilder model;
    model.weight("w", {2, 4, 4, 3});
    model.node("Conv", {"x", "w"}).set("auto_pad", row.mode).set("strides", Dims{1, 2});
    CHECK(convolution_of(model.import()).window == window(row.h, row.w));
  }
}

TEST_CASE("ConvTranspose: groups, strides, dilations, pads, output padding and bias") {
  ModelBuilder model;
  model.weight("w", {4, 3, 3, 2}).weight("b", {6});
  model.node("ConvTranspose", {"x", "w", "b"})
      .set("group", std::int64_t{2})
      .set("strides", Dims{2, 3})
      .set("dilations", Dims{1, 2})
      .set("pads", Dims{0, 1, 2, 0})
      .set("output_padding", Dims{1, 2});
  const ImportedModel imported = model.import();
  const TransposedConvolution expected{
      .filters = 6,
      .window = window({.kernel = 3, .stride = 2, .padding_begin = 0, .padding_end = 2},
                       {.kernel = 2, .stride = 3, .padding_begin = 1, .dilation = 2}),
      .output_padding = {0, 1, 2},
      .groups = 2,
      .bias = true};
  CHECK(transposed_of(imported) == expected);
  REQUIRE(imported.tensors.size() == 2);
  CHECK(imported.tensors[0].extents == Dims{4, 3, 3, 2});
  CHECK(imported.tensors[1].name == "bias");
  CHECK(imported.tensors[1].extents == Dims{6});
}

TEST_CASE("ConvTranspose: in one and three dims, with the bias of a sum") {
  ModelBuilder line({1, 4, 9});
  line.weight("w", {4, 2, 3}).weight("b", {2, 1});
  line.node("ConvTranspose", {"x", "w"}, {"a"}).set("strides", Dims{2});
  line.node("Add", {"a", "b"});
  const ImportedModel flat = line.import();
  CHECK(transposed_of(flat).window == window({}, {.kernel = 3, .stride = 2}));
  CHECK(transposed_of(flat).bias);
  CHECK(flat.tensors[0].extents == Dims{4, 2, 1, 3});
  CHECK(flat.tensors[1].extents == Dims{2});
  ModelBuilder block({1, 4, 5, 6, 7});
  block.weight("w", {4, 2, 2, 3, 3});
  block.node("ConvTranspose", {"x", "w"}).set("strides", Dims{2, 1, 1});
  const ImportedModel deep = block.import();
  CHECK(transposed_of(deep).window.dims[0] == WindowDim{.kernel = 2, .stride = 2});
  CHECK(deep.network.output_shape(LayerIndex(1), 1) == Shape{{1, 2, 10, 8, 9}});
}

TEST_CASE("ConvTranspose: padding that follows from auto_pad or output_shape") {
  struct Row {
    const char* mode;
    Dims shape;
    WindowDim h, w;  // kernels 4 and 2 at strides 1 and 3 over 8
    std::int64_t output_padding;
  };
  const Row rows[] = {
      // There are as many outputs as inputs times the stride. Without padding there would be 3 more
      // in one dim and 1 less in the other.
      {"SAME_UPPER", {}, {4, 1, 1, 2}, {2, 3, 0, 0}, 1},
      {"SAME_LOWER", {}, {4, 1, 2, 1}, {2, 3, 0, 0}, 1},
      {"VALID", {}, {4, 1, 0, 0}, {2, 3, 0, 0}, 0},
      {"NOTSET", {10, 22}, {4, 1, 1, 0}, {2, 3, 1, 0}, 0},
      {"SAME_UPPER", {10, 22}, {4, 1, 0, 1}, {2, 3, 0, 1}, 0},
      {"SAME_LOWER", {11, 25}, {4, 1, 0, 0}, {2, 3, 0, 0}, 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.mode);
    ModelBuilder model;
    model.weight("w", {4, 2, 4, 2});
    auto node = model.node("ConvTranspose", {"x", "w"});
    node.set("auto_pad", row.mode).set("strides", Dims{1, 3});
    if (!row.shape.empty()) node.set("output_shape", row.shape).set("pads", Dims{1, 1, 1, 1});
    const ImportedModel imported = model.import();
    CHECK(transposed_of(imported).window == window(row.h, row.w));
    CHECK(transposed_of(imported).output_padding ==
          std::array<std::int64_t, 3>{0, 0, row.output_padding});
    if (row.shape.empty()) continue;
    const Shape output = imported.network.output_shape(LayerIndex(1), 1);
    CHECK(Dims{output[Dim::h], output[Dim::w]} == row.shape);
  }
}

TEST_CASE("ConvTranspose: refuses what no layer computes") {
  const auto refusal = [](const Dims& weight, const std::string& key, const Dims& values) {
    ModelBuilder model;
    model.weight("w", weight);
    model.node("ConvTranspose", {"x", "w"}).set(key, values);
    return refusal_of(model);
  };
  CHECK(contains(refusal({2, 4, 3, 3}, "strides", {1, 1}), "for 4 channels"));
  CHECK(contains(refusal({4, 2, 3, 3}, "strides", {1}), "2 entries"));
  CHECK(contains(refusal({4, 2, 3, 3}, "output_padding", {0, -1}), "from 0"));
  CHECK(contains(refusal({4, 2, 3, 3}, "kernel_shape", {3, 2}), "kernel_shape"));
  ModelBuilder padded;
  padded.weight("w", {4, 2, 3, 3}).integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  padded.node("Pad", {"x", "pads"}, {"p"});
  padded.node("ConvTranspose", {"p", "w"});
  CHECK(contains(refusal_of(padded), "zeros are padded"));
}

TEST_CASE("Pad: zeros become padding of the next convolution") {
  ModelBuilder model;
  model.weight("w", {2, 4, 3, 3}).integers("pads", {0, 0, 0, 1, 0, 0, 1, 2});
  model.node("Pad", {"x", "pads"}, {"p"});
  model.node("Conv", {"p", "w"}).set("pads", Dims{1, 0, 1, 0});
  CHECK(convolution_of(model.import()).window == window({3, 1, 1, 2}, {3, 1, 1, 2}));
}

TEST_CASE("Pad: refuses padding that no layer can take over") {
  ModelBuilder to_relu;
  to_relu.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  to_relu.node("Pad", {"x", "pads"}, {"p"});
  to_relu.node("Relu", {"p"});
  CHECK(contains(refusal_of(to_relu), "zeros are padded"));
  ModelBuilder to_max;
  to_max.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  to_max.node("Pad", {"x", "pads"}, {"p"});
  to_max.node("MaxPool", {"p"}).set("kernel_shape", Dims{2, 2});
  CHECK(contains(refusal_of(to_max), "may be negative"));
  ModelBuilder reflected;
  reflected.integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  reflected.node("Pad", {"x", "pads"}).set("mode", "reflect");
  CHECK(contains(refusal_of(reflected), "other than zeros"));
  ModelBuilder channels;
  channels.integers("pads", {0, 1, 0, 0, 0, 0, 0, 0});
  channels.node("Pad", {"x", "pads"});
  CHECK(contains(refusal_of(channels), "channels"));
}

TEST_CASE("Pad: before a max pooling of values from 0 on, and an average that counts zeros") {
  ModelBuilder to_max;
  to_max.integers("pads", {0, 0, 1, 1, 0, 0, 0, 0});
  to_max.node("Relu", {"x"}, {"r"});
  to_max.node("Pad", {"r", "pads"}, {"p"});
  to_max.node("MaxPool", {"p"}).set("kernel_shape", Dims{3, 3}).set("strides", Dims{2, 2});
  CHECK(pooling_of(to_max.import()).window == window({3, 2, 1, 0}, {3, 2, 1, 0}));
  ModelBuilder average({1, 4, 8, 8}, 10);
  average.node("Pad", {"x"}, {"p"}).set("pads", Dims{0, 0, 1, 1, 0, 0, 1, 1});
  average.node("AveragePool", {"p"}).set("kernel_shape", Dims{3, 3});
  const Pooling pooling = pooling_of(average.import());
  CHECK(pooling.count_include_padding);
  CHECK(pooling.window == window({3, 1, 1, 1}, {3, 1, 1, 1}));
}

TEST_CASE("MaxPool: ceil_mode becomes padding at the end, unless a window would begin there") {
  struct Row {
    std::int64_t length, kernel, stride, padding, padding_end;
  };
  const Row rows[] = {
      {8, 3, 2, 0, 1},  // 4 windows instead of 3
      {7, 3, 2, 0, 0},  // they fit
      {8, 2, 3, 0, 0},  // 3 windows of 2 at 0, 3, 6
      {7, 2, 3, 0, 1},  // the last begins at 6
      {6, 2, 3, 0, 0},  // the third would begin behind the image
      {6, 3, 3, 1, 2},  // the third begins at the last row
  };
  for (const Row& row : rows) {
    CAPTURE(row.length);
    CAPTURE(row.kernel);
    ModelBuilder model({1, 1, row.length, 1});
    model.node("MaxPool", {"x"})
        .set("kernel_shape", Dims{row.kernel, 1})
        .set("strides", Dims{row.stride, 1})
        .set("pads", Dims{row.padding, 0, row.padding, 0})
        .set("ceil_mode", std::int64_t{1});
    const WindowDim h{row.kernel, row.stride, row.padding, row.padding_end};
    CHECK(pooling_of(model.import()).window == window(h, {}));
  }
}

TEST_CASE("MaxPool and AveragePool: a window of one element is no layer") {
  ModelBuilder model;
  model.node("MaxPool", {"x"}, {"a"}).set("kernel_shape", Dims{1, 1});
  model.node("AveragePool", {"a"}, {"b"}).set("kernel_shape", Dims{1, 1});
  model.node("Relu", {"b"});
  CHECK(model.import().network.layer_count() == 3);
}

TEST_CASE("AveragePool: count_include_pad counts padding, but never what ceil_mode adds") {
  ModelBuilder counted;
  counted.node("AveragePool", {"x"})
      .set("kernel_shape", Dims{3, 3})
      .set("pads", Dims{1, 1, 1, 1})
      .set("count_include_pad", std::int64_t{1});
  const Pooling pooling = pooling_of(counted.import());
  CHECK(pooling.mode == PoolingMode::average);
  CHECK(pooling.count_include_padding);
  ModelBuilder not_exact;
  not_exact.node("AveragePool", {"x"})
      .set("kernel_shape", Dims{3, 3})
      .set("strides", Dims{2, 2})
      .set("ceil_mode", std::int64_t{1})
      .set("count_include_pad", std::int64_t{1});
  CHECK(contains(refusal_of(not_exact), "ceil_mode"));
}

TEST_CASE("Global poolings and reductions over the image") {
  struct Row {
    const char* type;
    PoolingMode mode;
  };
  for (const Row& row : {Row{"GlobalAveragePool", PoolingMode::average},
                         Row{"GlobalMaxPool", PoolingMode::max},
                         Row{"ReduceMean", PoolingMode::average},
                         Row{"ReduceMax", PoolingMode::max}}) {
    CAPTURE(row.type);
    const bool is_reduction = std::string(row.type).starts_with("Reduce");
    ModelBuilder model;
    NodeBuilder node = model.node(row.type, {"x"});
    if (is_reduction) node.set("axes", Dims{3, -2}).set("keepdims", std::int64_t{0});
    const ImportedModel imported = model.import();
    CHECK(last_layer(imported).parameters == LayerParameters(GlobalPooling{.mode = row.mode}));
  }
  ModelBuilder rows;
  rows.node("ReduceMean", {"x"}).set("axes", Dims{2});
  CHECK(contains(refusal_of(rows), "all of the image"));
  ModelBuilder by_input({1, 4, 8, 8}, 18);
  by_input.integers("axes", {2, 3});
  by_input.node("ReduceMean", {"x", "axes"});
  CHECK(by_input.import().network.layer_count() == 3);
}

TEST_CASE("Conv: sizes that do not fit are refused and named") {
  ModelBuilder channels;
  channels.weight("w", {2, 3, 3, 3});
  channels.node("Conv", {"x", "w"});
  CHECK(contains(refusal_of(channels), "(2, 3, 3, 3)"));
  ModelBuilder kernel;
  kernel.weight("w", {2, 4, 9, 9});
  kernel.node("Conv", {"x", "w"});
  CHECK(contains(refusal_of(kernel), "fits into the padded input"));
  ModelBuilder strides;
  strides.weight("w", {2, 4, 3, 3});
  strides.node("Conv", {"x", "w"}).set("strides", Dims{0, 1});
  CHECK(contains(refusal_of(strides), "strides (0, 1)"));
  ModelBuilder no_constant;
  no_constant.node("Relu", {"x"}, {"w"});
  no_constant.node("Conv", {"x", "w"});
  CHECK(contains(refusal_of(no_constant), "no constant"));
  ModelBuilder flattened;
  flattened.weight("w", {2, 4, 3, 3});
  flattened.node("Flatten", {"x"}, {"f"});
  flattened.node("Conv", {"f", "w"});
  CHECK(contains(refusal_of(flattened), "no image"));
}

TEST_CASE("Conv: a bias for each filter") {
  ModelBuilder model;
  model.weight("w", {4, 4, 1, 1}).weight("b", {3});
  model.node("Conv", {"x", "w", "b"});
  CHECK(contains(refusal_of(model), "a bias (3) in place of (4)"));
}

TEST_CASE("Conv: two layers share no weight") {
  ModelBuilder model;
  model.weight("w", {4, 4, 1, 1});
  model.node("Conv", {"x", "w"}, {"a"});
  model.node("Conv", {"a", "w"});
  CHECK(contains(refusal_of(model), "share no weights"));
}

TEST_CASE("Conv: padding as large as the kernel is named as such") {
  ModelBuilder model;
  model.weight("w", {4, 4, 3, 3});
  model.node("Conv", {"x", "w"}).set("pads", Dims{100, 100, 100, 100});
  CHECK(refusal_of(model) ==
        "its padding: got 100; allowed: 0 to the reach of the kernel minus 1 = 2");
  ModelBuilder padded;
  padded.weight("w", {4, 4, 3, 3}).integers("pads", {0, 0, 0, 0, 0, 0, 0, 3});
  padded.node("Pad", {"x", "pads"}, {"p"});
  padded.node("Conv", {"p", "w"}).set("pads", Dims{0, 0, 0, 1});
  CHECK(refusal_of(padded).starts_with(
      "its padding_end, with the zeros of Pad nodes before it: got 4"));
}

TEST_CASE("Windows: pads and auto_pad at once are refused, unless the pads are zeros") {
  for (const char* type : {"Conv", "ConvTranspose"}) {
    const auto model_with = [&](std::int64_t pad) {
      ModelBuilder model;
      model.weight("w", {4, 4, 3, 3});
      model.node(type, {"x", "w"}).set("pads", Dims{pad, 0, 0, 0}).set("auto_pad", "SAME_UPPER");
      return model;
    };
    ModelBuilder both = model_with(1);
    CHECK(contains(refusal_of(both), "pads (1, 0, 0, 0) and auto_pad 'SAME_UPPER' at once"));
    CHECK_NOTHROW(model_with(0).import());
  }
}

}  // namespace
}  // namespace cnnplan::test
