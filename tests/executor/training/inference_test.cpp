// Tests inference with a network whose every output is known from its sample.
#include "executor/training/inference.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/hdf5/weights_file.hpp"
#include "executor/step/output.hpp"
#include "executor/training/gradient_check.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/residual_plan.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t sample_count = 7;
constexpr std::int64_t batch = 3;  // the last mini-batch holds one sample
constexpr std::int64_t channels = 3;
constexpr std::int64_t height = 5;
constexpr std::int64_t width = 2;

struct Normalisation {
  std::vector<double> mean{-1.0, 0.5, 2.0};
  std::vector<double> variance{0.25, 4.0, 1.0};
  std::vector<double> scale{2.0, -1.0, 0.5};
  std::vector<double> shift{0.0, 3.0, -2.0};
};

// Makes a network whose convolution is the identity. Dropout would drop half of the values in
// training, but not in inference. With a loss per image, the network averages over all positions.
// The layers of the auxiliary loss must not run.
Network known_network(bool per_pixel) {
  std::vector<Layer> layers{
      {"data", {}, Input{.channels = channels, .size = {1, height, width}}},
      {"conv", {"data"}, Convolution{.filters = channels}},
      {"bn", {"conv"}, BatchNorm{}},
      {"drop", {"bn"}, Dropout{.rate = 0.5}},
  };
  if (!per_pixel) layers.push_back({"mean", {"drop"}, GlobalPooling{}});
  const std::string logits = layers.back().name;
  layers.push_back({"auxiliary_bn", {logits}, BatchNorm{}});
  layers.push_back({"auxiliary_loss", {"auxiliary_bn"}, SoftmaxCrossEntropy{.weight = 0.5}});
  layers.push_back({"loss", {logits}, SoftmaxCrossEntropy{}});
  return Network("known", layers);
}

void write_weights(const std::string& file) {
  const Normalisation statistics;
  const std::array<std::int64_t, 1> by_channel{channels};
  TensorFileWriter writer(file);
  writer.write("/conv/weight",
               std::array<std::int64_t, 4>{channels, channels, 1, 1},
               std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1},
               Precision::fp32);
  for (const std::string norm : {"/bn", "/auxiliary_bn"}) {
    writer.write(norm + "/mean", by_channel, statistics.mean, Precision::fp32);
    writer.write(norm + "/variance", by_channel, statistics.variance, Precision::fp32);
    writer.write(norm + "/scale", by_channel, statistics.scale, Precision::fp32);
    writer.write(norm + "/shift", by_channel, statistics.shift, Precision::fp32);
  }
  writer.finish();
}

TestDataset samples() {
  TestDataset dataset =
      counted("/samples", FileElement::fp32, {sample_count, channels, height, width}, 23);
  for (double& value : dataset.values) value = 0.25 * value - 2.0;
  return dataset;
}

// Returns the outputs in the order of the file.
std::vector<double> expected_outputs(bool per_pixel) {
  const Normalisation statistics;
  const std::vector<double> values = samples().values;
  constexpr std::size_t positions = height * width;
  std::vector<double> outputs(per_pixel ? values.size() : values.size() / positions);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / positions % channels;
    const double normalised =
        (values[i] - statistics.mean[c]) / std::sqrt(statistics.variance[c] + BatchNorm{}.epsilon);
    const double output = normalised * statistics.scale[c] + statistics.shift[c];
    if (per_pixel) {
      outputs[i] = output;
    } else {
      outputs[i / positions] += output / static_cast<double>(positions);
    }
  }
  return outputs;
}

// Holds a data file without labels, a file of weights, and the path of the outputs.
struct Files {
  explicit Files(const TestDataset& dataset)
      : data(std::vector<TestDataset>{dataset}), folder(data.world()) {
    options.backend = test::tested_backend("reference");
    options.deterministic = true;
    options.data_file = data.file();
    options.weights_file = folder.path("weights.h5");
    if (data.world().rank() == 0) write_weights(options.weights_file);
    data.world().barrier();
  }
  const Communicator& world() const { return data.world(); }
  std::string outputs() const { return folder.path("outputs.h5"); }
  InferenceReport infer(const Plan& plan, const TrainingCallbacks& callbacks = {}) const {
    InferenceReport report = cnnplan::infer(plan, options, outputs(), world(), callbacks);
    world().barrier();
    return report;
  }

  DataFile data;
  SharedFolder folder;
  TrainingOptions options;
};

}  // namespace

TEST_CASE("infer: every sample's output is in its place, on any split, without labels") {
  const Files files(samples());
  for (const bool per_pixel : {false, true}) {
    const std::vector<double> expected = expected_outputs(per_pixel);
    for (const Axis axis : {Axis::n, Axis::h, Axis::w, Axis::r}) {
      CAPTURE(per_pixel);
      const Mesh mesh({{axis, files.world().size()}});
      CAPTURE(to_text(mesh));
      const InferenceReport report =
          files.infer(uniform_plan(known_network(per_pixel), batch, mesh));
      CHECK(report.samples == sample_count);
      CHECK(report.tensor == (per_pixel ? "/drop/output" : "/mean/output"));
      CHECK(report.step.count == 2);  // the first does not count
      const std::vector<std::int64_t> extents =
          per_pixel ? std::vector{sample_count, channels, height, width}
                    : std::vector<std::int64_t>{sample_count, channels, 1, 1};
      const std::vector<double> found =
          TensorFileReader(files.outputs()).read(report.tensor, extents);
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5).scale(1.0));
      }
      files.world().barrier();
    }
  }
}

TEST_CASE("infer: channels of the last layer may be split") {
  const Files files(samples());
  Plan plan = uniform_plan(known_network(true), batch, Mesh({{Axis::c, files.world().size()}}));
  plan.layers.front().mesh = plan.layers.back().mesh = Mesh({{Axis::n, files.world().size()}});
  const InferenceReport report = files.infer(plan);
  const std::vector<double> found =
      TensorFileReader(files.outputs())
          .read(report.tensor, std::vector{sample_count, channels, height, width});
  const std::vector<double> expected = expected_outputs(true);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5).scale(1.0));
  }
}

TEST_CASE("infer: every precision; fp64 is stored as it is") {
  const Files files(samples());
  const std::vector<double> expected = expected_outputs(false);
  for (const auto& [precision, tolerance] :
       {std::pair{Precision::fp64, 1e-12}, {Precision::bf16, 3e-2}, {Precision::fp16, 4e-3}}) {
    if (!make_backend(files.options.backend)->supports(precision)) continue;
    Plan plan = uniform_plan(known_network(false), batch, Mesh({{Axis::n, files.world().size()}}));
    plan.precision = precision;
    const InferenceReport report = files.infer(plan);
    const std::vector<double> found =
        TensorFileReader(files.outputs())
            .read(report.tensor, std::vector<std::int64_t>{sample_count, channels, 1, 1});
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(std::abs(found[i] - expected[i]) <= tolerance * (1.0 + std::abs(expected[i])));
    }
    files.world().barrier();
  }
}

TEST_CASE("infer: chains by multigrid give what layers in order give, when cycles are enough") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const TrainingOptions options{.backend = test::tested_backend("reference"),
                                .deterministic = true};
  const Plan plan = test::residual_plan(world.size(), test::coarse_steps);
  const auto outputs_of = [&](const Plan& run) {
    const std::string file = folder.path("outputs.h5");
    const InferenceReport report = infer(run, options, file, world, {});
    world.barrier();
    const Shape shape = plan.network.output_shape(output_layer(plan.network), plan.batch);
    std::vector<double> outputs = TensorFileReader(file).read(report.tensor, stored_extents(shape));
    world.barrier();
    return outputs;
  };
  const std::vector<double> found = outputs_of(plan);
  const std::vector<double> expected = outputs_of(serial_plan(plan));
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::abs(found[i] - expected[i]) <= 1e-10 * (1.0 + std::abs(expected[i])));
  }
}

TEST_CASE("infer: outputs of a mini-batch that no rank has memory for are refused at the start") {
  const Files files(samples());
  const Network large = with_input_size(known_network(true), {1, 1 << 14, 1 << 14});
  const Mesh mesh({{Axis::n, files.world().size()}});
  CHECK_THROWS_WITH_AS(files.infer(uniform_plan(large, batch, mesh)),
                       doctest::Contains("19327352832"),
                       InfeasibleError);
}

TEST_CASE("infer: weights take no memory for gradients and momentum") {
  const auto backend = make_backend(test::tested_backend("reference"));
  const Plan plan = uniform_plan(known_network(true), batch, Mesh());
  const auto bytes_of = [&](const Schedule& schedule) {
    return ParameterStore(schedule, plan.network, plan.precision, *backend).bytes();
  };
  CHECK(2 * bytes_of(lower(plan, 0, {.pass = Pass::inference})) < bytes_of(lower(plan, 0)));
}

TEST_CASE("infer: an output that is not finite is named, and no file is overwritten") {
  TestDataset dataset = samples();
  // The batch norm multiplies this value by four, so it overflows.
  dataset.values[4 * channels * height * width + 1] = std::numeric_limits<float>::max();
  const Files files(dataset);
  if (files.world().rank() == 0) write_file(files.outputs(), "old");
  files.world().barrier();
  const Plan plan =
      uniform_plan(known_network(false), batch, Mesh({{Axis::n, files.world().size()}}));
  CHECK_THROWS_WITH_AS(files.infer(plan), "/mean/output of sample 4 is not finite", Error);
  files.world().barrier();
  CHECK(read_file(files.outputs()) == "old");
  for (const auto& entry : std::filesystem::directory_iterator(files.folder.path(""))) {
    CHECK(entry.path().extension() == ".h5");
  }
}

TEST_CASE("infer: progress counts every mini-batch and has no loss") {
  const Files files(samples());
  std::vector<std::int64_t> steps;
  const auto on_progress = [&](const Progress& progress) {
    CHECK(progress.steps == 3);
    CHECK(!progress.loss);
    steps.push_back(progress.step);
  };
  files.infer(uniform_plan(known_network(false), batch, Mesh({{Axis::n, files.world().size()}})),
              {.placed = {}, .note = {}, .progress = on_progress, .evaluated = {}, .checked = {}});
  if (files.world().rank() == 0) CHECK(steps == std::vector<std::int64_t>{1, 2, 3});
}

}  // namespace cnnplan
