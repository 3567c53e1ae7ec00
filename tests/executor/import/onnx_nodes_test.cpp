// Tests that imported nodes give the outputs that ONNX's authors recorded.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/hdf5/weights_file.hpp"
#include "executor/step/output.hpp"
#include "executor/training/inference.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/import/recorded_node.hpp"

namespace cnnplan::test {
namespace {

// These are the tests of mapped operators from which a network can be made. Some tests are left
// out:
// - Tests with two activations as inputs, samples that are not (N, C, ...), or other numbers than
// float32.
// - Tests with a softmax at the output, since the loss has one itself.
// - Tests that the import refuses with a reason.
const std::vector<std::string> inference_tests{
    "averagepool_1d_default",
    "averagepool_2d_ceil",
    "averagepool_2d_default",
    "averagepool_2d_pads",
    "averagepool_2d_pads_count_include_pad",
    "averagepool_2d_precomputed_pads",
    "averagepool_2d_precomputed_pads_count_include_pad",
    "averagepool_2d_precomputed_same_upper",
    "averagepool_2d_precomputed_strides",
    "averagepool_2d_same_lower",
    "averagepool_2d_same_upper",
    "averagepool_2d_strides",
    "averagepool_3d_default",
    "basic_conv_with_padding",
    "basic_conv_without_padding",
    "batchnorm_epsilon",
    "batchnorm_example",
    "clip_default_min",
    "conv_with_autopad_same",
    "conv_with_strides_and_asymmetric_padding",
    "conv_with_strides_no_padding",
    "conv_with_strides_padding",
    "convtranspose",
    "convtranspose_1d",
    "convtranspose_3d",
    "convtranspose_autopad_same",
    "convtranspose_dilations",
    "convtranspose_kernel_shape",
    "convtranspose_output_shape",
    "convtranspose_pad",
    "convtranspose_pads",
    "convtranspose_with_kernel",
    "dropout_default",
    "dropout_default_mask",
    "dropout_default_mask_ratio",
    "dropout_default_ratio",
    "dropout_random_old",
    "gemm_alpha",
    "gemm_beta",
    "gemm_default_no_bias",
    "gemm_default_scalar_bias",
    "gemm_default_single_elem_vector_bias",
    "gemm_default_vector_bias",
    "gemm_default_zero_bias",
    "gemm_transposeB",
    "globalaveragepool",
    "globalaveragepool_precomputed",
    "globalmaxpool",
    "globalmaxpool_precomputed",
    "identity",
    "leakyrelu",
    "leakyrelu_default",
    "lrn",
    "lrn_default",
    "matmul_2d",
    "maxpool_1d_default",
    "maxpool_2d_ceil",
    "maxpool_2d_default",
    "maxpool_2d_dilations",
    "maxpool_2d_pads",
    "maxpool_2d_precomputed_pads",
    "maxpool_2d_precomputed_same_upper",
    "maxpool_2d_precomputed_strides",
    "maxpool_2d_same_lower",
    "maxpool_2d_same_upper",
    "maxpool_2d_strides",
    "maxpool_3d_default",
    "maxpool_with_argmax_2d_precomputed_pads",
    "maxpool_with_argmax_2d_precomputed_strides",
    "relu",
    "reshape_zero_and_negative_dim",
    "resize_upsample_scales_linear",
    "resize_upsample_scales_linear_align_corners",
    "resize_upsample_scales_nearest",
    "slice_end_out_of_bounds",
    "slice_neg",
    "split_equal_parts_2d",
    "split_variable_parts_2d",
    "squeeze_negative_axes",
    "training_dropout_zero_ratio",
    "training_dropout_zero_ratio_mask",
    "transpose_all_permutations_0",
    "unsqueeze_axis_2",
    "unsqueeze_negative_axes",
    "upsample_nearest",
};
// These tests run in training mode, with the statistics of the samples.
const std::vector<std::string> training_tests{"batchnorm_epsilon_training_mode",
                                              "batchnorm_example_training_mode"};

// Imports a node, and writes its weights, and its samples with labels of 0.
class ImportedNode {
 public:
  explicit ImportedNode(const std::string& name)
      : node_(recorded_node("test_" + name)),
        model_(node_.import()),
        data_(datasets()),
        folder_(data_.world()) {
    options_.data_file = data_.file();
    options_.weights_file = folder_.path("weights.h5");
    if (data_.world().rank() == 0) write_weights();
    data_.world().barrier();
  }

  // Returns the largest difference from the recorded output, on a mesh of all ranks along `axis`.
  double error_of_inference(const std::string& backend, Axis axis) {
    options_.backend = backend;
    const std::string file = folder_.path("outputs.h5");
    infer(plan(axis), options_, file, data_.world(), {});
    return error_of(file);
  }
  double error_of_training(const std::string& backend, Axis axis) {
    options_.backend = backend;
    options_.steps = 1;
    options_.learning_rate = options_.weight_decay = 0.0;
    options_.dump_file = folder_.path("outputs.h5");
    train(plan(axis), options_, data_.world(), {});
    return error_of(options_.dump_file);
  }

 private:
  std::int64_t batch() const { return node_.input.dims.at(0); }
  Plan plan(Axis axis) const {
    Plan plan = uniform_plan(model_.network, batch(), Mesh({{axis, data_.world().size()}}));
    for (LayerPlan& layer : plan.layers) layer.statistics = BatchNormStatistics::global;
    return plan;
  }
  std::vector<TestDataset> datasets() const {
    const BatchShape shape = batch_shape(model_.network, batch(), Precision::fp32);
    TestDataset labels{.name = "/labels", .element = FileElement::uint8, .extents = {batch()}};
    const Shape& positions = shape.labels;
    for (Dim dim : spatial_dims) {
      if (volume(positions) == batch() || (dim == Dim::d && positions[dim] == 1)) continue;
      labels.extents.push_back(positions[dim]);
    }
    labels.values.resize(static_cast<std::size_t>(volume(positions)));
    return {{.name = "/samples",
             .element = FileElement::fp32,
             .extents = stored_extents(shape.samples),
             .values = {node_.input.values.begin(), node_.input.values.end()}},
            labels};
  }
  void write_weights() const {
    TensorFileWriter writer(options_.weights_file);
    for (const ImportedTensor& tensor : model_.tensors) {
      writer.write(tensor_name(tensor.layer, tensor.name),
                   tensor.extents,
                   values_of(tensor, "node.onnx"),
                   Precision::fp32);
    }
    writer.finish();
  }
  double error_of(const std::string& file) const {
    data_.world().barrier();
    const LayerIndex layer = output_layer(model_.network);
    const std::vector<double> found =
        TensorFileReader(file).read(tensor_name(model_.network.layer(layer).name, "output"),
                                    stored_extents(model_.network.output_shape(layer, batch())));
    data_.world().barrier();
    REQUIRE(found.size() == node_.output.values.size());
    double worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      worst = std::max(worst, std::abs(found[i] - static_cast<double>(node_.output.values[i])));
    }
    return worst;
  }

  RecordedNode node_;
  ImportedModel model_;
  DataFile data_;
  SharedFolder folder_;
  TrainingOptions options_;
};

constexpr double limit = 1e-5;

std::vector<std::string> backends() {
  if (default_backend() == "reference") return {"reference"};
  return {"reference", std::string(default_backend())};
}

}  // namespace

TEST_CASE("import: nodes give the outputs that were recorded") {
  if (!has_recorded_nodes()) {
    MESSAGE("skipped: libonnx-testdata is not installed");
    return;
  }
  for (const std::string& name : inference_tests) {
    CAPTURE(name);
    ImportedNode node(name);
    for (const std::string& backend : backends()) {
      for (const Axis axis : {Axis::n, Axis::h}) {
        CAPTURE(backend);
        CHECK(node.error_of_inference(backend, axis) <= limit);
      }
    }
  }
  for (const std::string& name : training_tests) {
    CAPTURE(name);
    ImportedNode node(name);
    for (const std::string& backend : backends()) {
      CHECK(node.error_of_training(backend, Axis::n) <= limit);
    }
  }
}

}  // namespace cnnplan::test
