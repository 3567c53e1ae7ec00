// Lists attributes operator by operator, with values that differ from the defaults.
#include "tests/planner/import/operator_rows.hpp"

#include <cstdint>
#include <iterator>

namespace cnnplan::test {
namespace {

void set_scalar(NodeBuilder& node, const char* name, float value) {
  onnx::AttributeProto& attribute = *node.message().add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
  attribute.mutable_t()->add_float_data(value);
}

void set_strings(NodeBuilder& node) {
  onnx::AttributeProto& attribute = *node.message().add_attribute();
  attribute.set_name("value_strings");
  attribute.set_type(onnx::AttributeProto::STRINGS);
  attribute.add_strings("text");
}

void set_sparse(NodeBuilder& node) {
  onnx::AttributeProto& attribute = *node.message().add_attribute();
  attribute.set_name("sparse_value");
  attribute.set_type(onnx::AttributeProto::SPARSE_TENSOR);
}

constexpr OperatorKey mapped(const char* type) {
  return {.type = type, .path = Path::mapped};
}

constexpr OperatorKey folded(const char* type) {
  return {.type = type, .path = Path::folded};
}

// Returns the rows of windows, which several operators share.
std::vector<AttributeRow> window_rows(const char* type) {
  return {
      {mapped(type),
       "auto_pad",
       Effect::changes,
       [](NodeBuilder& node) { node.set("auto_pad", "SAME_LOWER"); }},
      {mapped(type),
       "dilations",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("dilations", Dims{2, 2});
       }},
      {mapped(type),
       "kernel_shape",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("kernel_shape", Dims{2, 2});
       }},
      {mapped(type),
       "pads",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("pads", Dims{1, 0, 2, 1});
       }},
      {mapped(type),
       "strides",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("strides", Dims{2, 3});
       }},
  };
}

std::vector<AttributeRow> pooling_rows() {
  const auto by_two = [](NodeBuilder& node) { node.set("strides", Dims{2, 2}); };
  const auto up = [](NodeBuilder& node) { node.set("ceil_mode", std::int64_t{1}); };
  return {
      {mapped("AveragePool"), "ceil_mode", Effect::changes, up, by_two},
      {mapped("AveragePool"),
       "count_include_pad",
       Effect::changes,
       [](NodeBuilder& node) { node.set("count_include_pad", std::int64_t{1}); },
       [](NodeBuilder& node) {
         node.set("pads", Dims{1, 1, 1, 1});
       }},
      {mapped("MaxPool"), "ceil_mode", Effect::changes, up, by_two},
      // It orders indices, which no layer computes.
      {mapped("MaxPool"),
       "storage_order",
       Effect::none,
       [](NodeBuilder& node) { node.set("storage_order", std::int64_t{1}); }},
  };
}

std::vector<AttributeRow> convolution_rows() {
  const auto in_groups = [](NodeBuilder& node) { node.set("group", std::int64_t{2}); };
  return {
      {mapped("Conv"), "group", Effect::changes, in_groups},
      {mapped("ConvTranspose"), "group", Effect::changes, in_groups},
      {mapped("ConvTranspose"),
       "output_padding",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("output_padding", Dims{1, 0});
       },
       [](NodeBuilder& node) {
         node.set("strides", Dims{2, 2});
       }},
      {mapped("ConvTranspose"),
       "output_shape",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("output_shape", Dims{8, 8});
       }},
  };
}

constexpr AttributeRow layer_rows[] = {
    {mapped("BatchNormalization"),
     "epsilon",
     Effect::changes,
     [](NodeBuilder& node) { node.set("epsilon", 0.5F); }},
    {mapped("BatchNormalization"),
     "momentum",
     Effect::changes,
     [](NodeBuilder& node) { node.set("momentum", 0.5F); }},
    {mapped("BatchNormalization"),
     "spatial",
     Effect::changes,
     [](NodeBuilder& node) { node.set("spatial", std::int64_t{0}); }},
    // Layers normalise by the mini-batch in training and by running values in inference.
    {mapped("BatchNormalization"),
     "training_mode",
     Effect::none,
     [](NodeBuilder& node) { node.set("training_mode", std::int64_t{1}); }},
    {mapped("Clip"), "max", Effect::changes, [](NodeBuilder& node) { node.set("max", 3.0F); }},
    {mapped("Clip"), "min", Effect::changes, [](NodeBuilder& node) { node.set("min", 1.0F); }},
    {mapped("Dropout"),
     "ratio",
     Effect::changes,
     [](NodeBuilder& node) { node.set("ratio", 0.25F); }},
    // Random numbers follow from the seed of the training.
    {mapped("Dropout"),
     "seed",
     Effect::none,
     [](NodeBuilder& node) { node.set("seed", std::int64_t{3}); }},
    {mapped("Gemm"), "alpha", Effect::changes, [](NodeBuilder& node) { node.set("alpha", 2.0F); }},
    {mapped("Gemm"), "beta", Effect::changes, [](NodeBuilder& node) { node.set("beta", 2.0F); }},
    {mapped("Gemm"),
     "transA",
     Effect::changes,
     [](NodeBuilder& node) { node.set("transA", std::int64_t{1}); }},
    {mapped("Gemm"),
     "transB",
     Effect::changes,
     [](NodeBuilder& node) { node.set("transB", std::int64_t{1}); }},
    {mapped("LRN"), "alpha", Effect::changes, [](NodeBuilder& node) { node.set("alpha", 2.0F); }},
    {mapped("LRN"), "beta", Effect::changes, [](NodeBuilder& node) { node.set("beta", 2.0F); }},
    {mapped("LRN"), "bias", Effect::changes, [](NodeBuilder& node) { node.set("bias", 2.0F); }},
    {mapped("LRN"),
     "size",
     Effect::changes,
     [](NodeBuilder& node) { node.set("size", std::int64_t{1}); }},
    {mapped("LeakyRelu"),
     "alpha",
     Effect::changes,
     [](NodeBuilder& node) { node.set("alpha", 0.5F); }},
    {mapped("LogSoftmax"),
     "axis",
     Effect::changes,
     [](NodeBuilder& node) { node.set("axis", std::int64_t{0}); }},
    {mapped("Pad"),
     "mode",
     Effect::changes,
     [](NodeBuilder& node) { node.set("mode", "reflect"); }},
    {mapped("Pad"),
     "pads",
     Effect::changes,
     [](NodeBuilder& node) {
       node.set("pads", Dims{0, 0, 2, 1, 0, 0, 1, 1});
     }},
    {mapped("Pad"), "value", Effect::changes, [](NodeBuilder& node) { node.set("value", 1.0F); }},
    {mapped("Softmax"),
     "axis",
     Effect::changes,
     [](NodeBuilder& node) { node.set("axis", std::int64_t{0}); }},
    {mapped("Split"),
     "axis",
     Effect::changes,
     [](NodeBuilder& node) { node.set("axis", std::int64_t{2}); }},
    {mapped("Split"),
     "split",
     Effect::changes,
     [](NodeBuilder& node) {
       node.set("split", Dims{1, 3});
     }},
    {mapped("Split"),
     "num_outputs",
     Effect::changes,
     [](NodeBuilder& node) { node.set("num_outputs", std::int64_t{3}); }},
};

std::vector<AttributeRow> reduction_rows(const char* type) {
  return {
      {mapped(type),
       "axes",
       Effect::changes,
       [](NodeBuilder& node) {
         node.set("axes", Dims{1, 2});
       }},
      {mapped(type),
       "keepdims",
       Effect::changes,
       [](NodeBuilder& node) { node.set("keepdims", std::int64_t{0}); }},
      // It is about empty axes, which are refused.
      {mapped(type),
       "noop_with_empty_axes",
       Effect::none,
       [](NodeBuilder& node) { node.set("noop_with_empty_axes", std::int64_t{1}); }},
  };
}

constexpr auto linearly = [](NodeBuilder& node) { node.set("mode", "linear"); };

constexpr AttributeRow resize_rows[] = {
    {mapped("Resize"),
     "antialias",
     Effect::refused,
     [](NodeBuilder& node) { node.set("antialias", std::int64_t{1}); }},
    {mapped("Resize"),
     "axes",
     Effect::refused,
     [](NodeBuilder& node) {
       node.set("axes", Dims{2, 3});
     }},
    {mapped("Resize"),
     "coordinate_transformation_mode",
     Effect::changes,
     [](NodeBuilder& node) { node.set("coordinate_transformation_mode", "align_corners"); },
     linearly},
    // It belongs to the mode cubic, which is refused.
    {mapped("Resize"),
     "cubic_coeff_a",
     Effect::none,
     [](NodeBuilder& node) { node.set("cubic_coeff_a", -0.5F); }},
    {mapped("Resize"),
     "exclude_outside",
     Effect::refused,
     [](NodeBuilder& node) { node.set("exclude_outside", std::int64_t{1}); }},
    // It belongs to tf_crop_and_resize, which is refused.
    {mapped("Resize"),
     "extrapolation_value",
     Effect::none,
     [](NodeBuilder& node) { node.set("extrapolation_value", 1.0F); }},
    {mapped("Resize"),
     "keep_aspect_ratio_policy",
     Effect::refused,
     [](NodeBuilder& node) { node.set("keep_aspect_ratio_policy", "not_larger"); }},
    {mapped("Resize"), "mode", Effect::changes, linearly},
    {mapped("Resize"),
     "nearest_mode",
     Effect::changes,
     [](NodeBuilder& node) { node.set("nearest_mode", "ceil"); }},
    {mapped("Upsample"),
     "mode",
     Effect::changes,
     [](NodeBuilder& node) { node.set("mode", "cubic"); }},
    {mapped("Upsample"),
     "scales",
     Effect::changes,
     [](NodeBuilder& node) {
       node.set_reals("scales", {1, 1, 3, 2});
     }},
};

constexpr auto by_axis_one = [](NodeBuilder& node) { node.set("axis", std::int64_t{1}); };
constexpr auto by_axis_two = [](NodeBuilder& node) { node.set("axis", std::int64_t{2}); };
constexpr auto allow_zero = [](NodeBuilder& node) { node.set("allowzero", std::int64_t{1}); };
constexpr auto axes = [](NodeBuilder& node) { node.set("axes", Dims{2}); };
constexpr auto first_axes = [](NodeBuilder& node) { node.set("axes", Dims{0, 1}); };
constexpr auto starts = [](NodeBuilder& node) { node.set("starts", Dims{1}); };
constexpr auto ends = [](NodeBuilder& node) { node.set("ends", Dims{1}); };
constexpr auto to_float = [](NodeBuilder& node) { node.set("to", std::int64_t{1}); };
// It is about 8-bit types, which are refused.
constexpr auto saturate = [](NodeBuilder& node) { node.set("saturate", std::int64_t{0}); };

constexpr AttributeRow shape_rows[] = {
    {mapped("Cast"),
     "to",
     Effect::changes,
     [](NodeBuilder& node) { node.set("to", std::int64_t{6}); }},
    {folded("Cast"), "to", Effect::changes, to_float},
    {mapped("Cast"), "saturate", Effect::none, saturate},
    {folded("Cast"), "saturate", Effect::none, saturate},
    {mapped("Concat"), "axis", Effect::changes, by_axis_two},
    {folded("Concat"), "axis", Effect::changes, by_axis_one},
    {mapped("Flatten"), "axis", Effect::changes, by_axis_two},
    {folded("Flatten"), "axis", Effect::changes, by_axis_two},
    {folded("Gather"), "axis", Effect::changes, by_axis_one},
    {mapped("Reshape"), "allowzero", Effect::changes, allow_zero},
    {folded("Reshape"), "allowzero", Effect::changes, allow_zero},
    {mapped("Shape"),
     "start",
     Effect::changes,
     [](NodeBuilder& node) { node.set("start", std::int64_t{1}); }},
    {mapped("Shape"),
     "end",
     Effect::changes,
     [](NodeBuilder& node) { node.set("end", std::int64_t{3}); }},
    {mapped("Slice"), "starts", Effect::changes, starts},
    {mapped("Slice"), "ends", Effect::changes, ends},
    {mapped("Slice"), "axes", Effect::changes, axes},
    {folded("Slice"), "starts", Effect::changes, starts},
    {folded("Slice"), "ends", Effect::changes, ends},
    {folded("Slice"), "axes", Effect::changes, axes},
    {mapped("Squeeze"), "axes", Effect::changes, axes},
    {folded("Squeeze"), "axes", Effect::changes, axes},
    {mapped("Unsqueeze"), "axes", Effect::changes, first_axes},
    {folded("Unsqueeze"), "axes", Effect::changes, first_axes},
    {mapped("Transpose"),
     "perm",
     Effect::changes,
     [](NodeBuilder& node) {
       node.set("perm", Dims{0, 1, 2, 3, 4});
     }},
    {folded("Transpose"),
     "perm",
     Effect::changes,
     [](NodeBuilder& node) {
       node.set("perm", Dims{0, 1});
     }},
};

std::vector<AttributeRow> constant_rows() {
  return {
      {folded("Constant"),
       "value",
       Effect::changes,
       [](NodeBuilder& node) { set_scalar(node, "value", 2); }},
      {folded("Constant"),
       "value_float",
       Effect::changes,
       [](NodeBuilder& node) { node.set("value_float", 2.0F); }},
      {folded("Constant"),
       "value_floats",
       Effect::changes,
       [](NodeBuilder& node) { node.set_reals("value_floats", {2}); }},
      {folded("Constant"),
       "value_int",
       Effect::changes,
       [](NodeBuilder& node) { node.set("value_int", std::int64_t{2}); }},
      {folded("Constant"),
       "value_ints",
       Effect::changes,
       [](NodeBuilder& node) { node.set("value_ints", Dims{2}); }},
      {folded("Constant"), "sparse_value", Effect::refused, set_sparse},
      {folded("Constant"),
       "value_string",
       Effect::refused,
       [](NodeBuilder& node) { node.set("value_string", "text"); }},
      {folded("Constant"), "value_strings", Effect::refused, set_strings},
      {folded("ConstantOfShape"),
       "value",
       Effect::changes,
       [](NodeBuilder& node) { set_scalar(node, "value", 2); }},
  };
}

}  // namespace

std::vector<AttributeRow> attribute_rows() {
  std::vector<AttributeRow> rows;
  const auto add = [&rows](const auto& some) {
    rows.insert(rows.end(), std::begin(some), std::end(some));
  };
  for (const char* type : {"AveragePool", "Conv", "ConvTranspose", "MaxPool"}) {
    add(window_rows(type));
  }
  for (const char* type : {"ReduceMax", "ReduceMean"}) add(reduction_rows(type));
  add(pooling_rows());
  add(convolution_rows());
  add(constant_rows());
  add(layer_rows);
  add(resize_rows);
  add(shape_rows);
  return rows;
}

}  // namespace cnnplan::test
