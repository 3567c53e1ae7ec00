// Tests whole trainings of a small network: data, files, evaluation, and their ends.
#include "executor/training/trainer.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t sample_count = 7;

Network small_network() {
  Convolution convolution{.filters = 3};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  return Network("small",
                 {{"input", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                  {"conv", {"input"}, convolution},
                  {"bn", {"conv"}, BatchNorm{}},
                  {"relu", {"bn"}, Relu{}},
                  {"fc", {"relu"}, FullyConnected{.outputs = 2}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Returns samples whose label says whether their mean is positive.
std::vector<TestDataset> separable_samples() {
  TestDataset samples = counted("/samples", FileElement::fp32, {sample_count, 2, 6, 5}, 11);
  TestDataset labels = counted("/labels", FileElement::uint8, {sample_count}, 2);
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const bool positive = labels.values[i / 60] > 0.5;
    samples.values[i] = 0.1 * (samples.values[i] - 5.0) + (positive ? 1.0 : -1.0);
  }
  return {samples, labels};
}

// Returns a network for targets, whose output has the channels of the sample.
Network regression_network() {
  return Network("regression",
                 {{"input", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                  {"conv", {"input"}, Convolution{.filters = 2, .bias = true}},
                  {"loss", {"conv"}, MeanSquaredError{}}});
}

// Makes targets that a pointwise convolution can compute: half of the other channel, and 0.25.
std::vector<TestDataset> linear_targets() {
  TestDataset samples = separable_samples().front();
  TestDataset targets = counted("/targets", FileElement::fp32, samples.extents, 1);
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const std::size_t other = i / 30 % 2 == 0 ? i + 30 : i - 30;
    targets.values[i] = 0.5 * samples.values[other] + 0.25;
  }
  return {samples, targets};
}

// Returns options of a training that gives the same bits every time.
TrainingOptions small_steps() {
  return {.backend = test::tested_backend("reference"),
          .deterministic = true,
          .steps = 2,
          .warmup = 0,
          .learning_rate = 0.05};
}

RunReport run(const Plan& plan, const TrainingOptions& options, const Communicator& world) {
  return train(plan, options, world, {});
}

Plan split(std::int64_t batch, const Communicator& world, Axis axis) {
  return uniform_plan(small_network(), batch, Mesh({{axis, world.size()}}));
}

std::vector<double> stored(const std::string& file, const char* name, std::int64_t count) {
  return TensorFileReader(file).read(name, std::vector{count});
}

// Returns everything that a training changes, except running values. They also change without a
// learning rate.
std::vector<std::vector<double>> stored_weights(const std::string& file) {
  const TensorFileReader reader(file);
  std::vector<std::vector<double>> weights;
  const auto add = [&](const char* name, const std::vector<std::int64_t>& extents) {
    weights.push_back(reader.read(name, extents));
  };
  add("/conv/weight", {3, 2, 3, 3});
  add("/bn/scale", {3});
  add("/bn/shift", {3});
  add("/fc/weight", {2, 3, 6, 5});
  add("/fc/bias", {2});
  return weights;
}

}  // namespace

TEST_CASE("train: an epoch is a pass over the data, and the network learns it") {
  const DataFile data(separable_samples());
  TrainingOptions options = small_steps();
  options.data_file = options.test_file = data.file();
  options.epochs = 15;
  const RunReport report = run(split(3, data.world(), Axis::n), options, data.world());
  CHECK(report.loss.size() == 15 * (sample_count / 3));
  CHECK(report.loss.back() < report.loss.front());
  REQUIRE(report.test_accuracy.size() == 15);
  CHECK(report.test_accuracy.back() == 1.0);
}

TEST_CASE("train: samples that fill no mini-batch are counted in a note") {
  const DataFile data(separable_samples());
  TrainingOptions options = small_steps();
  options.data_file = options.test_file = data.file();
  const auto notes_about_samples = [&](std::int64_t batch) {
    std::vector<std::string> notes;
    TrainingCallbacks callbacks;
    callbacks.note = [&](const std::string& text) {
      if (text.find("left out") != std::string::npos) notes.push_back(text);
    };
    train(split(batch, data.world(), Axis::n), options, data.world(), callbacks);
    return notes;
  };
  std::vector<std::string> expected;
  if (data.world().rank() == 0) {
    expected = {
        "1 of 7 samples are left out of each epoch, others each time: they do not fill a "
        "mini-batch of 3"};
  }
  CHECK(notes_about_samples(3) == expected);
  CHECK(notes_about_samples(sample_count).empty());
  options.data_file.clear();
  CHECK(notes_about_samples(3).empty());
}

TEST_CASE("train: an evaluation after N epochs equals that of a training of N epochs") {
  const DataFile data(separable_samples());
  TrainingOptions options = small_steps();
  options.data_file = options.test_file = data.file();
  const Plan plan =
      test::repeatable(split(3, data.world(), Axis::n), options.backend, data.world());
  const auto trained = [&](std::int64_t epochs, bool is_evaluated) {
    options.epochs = epochs;
    options.test_file = is_evaluated ? data.file() : "";
    return run(plan, options, data.world());
  };
  const RunReport all = trained(4, true);
  REQUIRE(all.test_accuracy.size() == 4);
  for (std::size_t epoch = 0; epoch < 4; ++epoch) {
    CAPTURE(epoch);
    const RunReport few = trained(static_cast<std::int64_t>(epoch) + 1, true);
    CHECK(all.test_accuracy[epoch] == few.test_accuracy.back());
  }
  CHECK(all.loss == trained(4, false).loss);
}

TEST_CASE("train: targets are learned, and the test loss is their remaining error") {
  const DataFile data(linear_targets());
  TrainingOptions options = small_steps();
  options.learning_rate = 0.1;
  options.weight_decay = 0.0;
  options.data_file = options.test_file = data.file();
  options.epochs = 60;
  const Plan plan = uniform_plan(regression_network(), 3, Mesh({{Axis::h, data.world().size()}}));
  const RunReport report = run(plan, options, data.world());
  CHECK(report.loss.front() > 0.1);
  CHECK(report.loss.back() < 1e-4);
  CHECK(report.test_accuracy.empty());
  REQUIRE(report.test_loss.size() == 60);
  CHECK(report.test_loss.back() < 1e-4);
  // This pass over all samples changes no weights. Its last mini-batch is partly empty.
  options.epochs = 1;
  options.learning_rate = 0.0;
  const RunReport still = run(plan, options, data.world());
  options.epochs = 0;
  options.steps = 1;
  const Plan whole =
      uniform_plan(regression_network(), sample_count, Mesh({{Axis::h, data.world().size()}}));
  CHECK(still.test_loss.back() == relative(run(whole, options, data.world()).loss.back(), 1e-6));
}

TEST_CASE("train: 16 bits are enough to learn the classes and to evaluate") {
  const DataFile data(separable_samples());
  TrainingOptions options = small_steps();
  options.data_file = options.test_file = data.file();
  options.epochs = 15;
  for (Precision precision : {Precision::bf16, Precision::fp16}) {
    Plan plan = split(3, data.world(), Axis::n);
    plan.precision = precision;
    CHECK(run(plan, options, data.world()).test_accuracy.back() == 1.0);
  }
}

TEST_CASE("train: dumped gradients are without the loss scale") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const auto gradient_with = [&](Precision precision, double loss_scale) {
    Plan plan = split(4, world, Axis::n);
    plan.precision = precision;
    TrainingOptions options = small_steps();
    options.loss_scale = loss_scale;
    options.steps = 1;
    options.dump_file =
        folder.path(std::string(to_text(precision)) + std::to_string(loss_scale) + ".h5");
    run(plan, options, world);
    world.barrier();
    return stored(options.dump_file, "/fc/bias_gradient", 2);
  };
  const std::vector<double> plain = gradient_with(Precision::fp32, 1.0);
  REQUIRE(std::abs(plain[0]) > 1e-3);
  const std::vector<double> scaled = gradient_with(Precision::fp32, 64.0);
  // Scaling by powers of two is exact, but a GPU's engines are chosen anew.
  const double tolerance = test::tested_backend("reference") == "reference" ? 0.0 : 1e-5;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(std::abs(scaled[i] - plain[i]) <= tolerance * std::abs(plain[i]));
  }
  CHECK(gradient_with(Precision::fp16, 0.0)[0] == relative(plain[0], 1e-2));
}

TEST_CASE("train: a precision that the backend lacks is refused before a data file is opened") {
  if (default_backend() != "onednn") {
    MESSAGE("skipped: this build has no oneDNN");
    return;
  }
  const Communicator world = Communicator::world();
  Plan plan = split(4, world, Axis::n);
  plan.precision = Precision::fp16;
  TrainingOptions options = small_steps();
  options.backend = "onednn";
  options.data_file = "no/such/file.h5";
  CHECK_THROWS_AS(run(plan, options, world), EnvironmentError);
}

TEST_CASE("train: progress counts every step") {
  const Communicator world = Communicator::world();
  std::vector<std::int64_t> steps;
  const auto on_progress = [&](const Progress& progress) {
    CHECK(progress.steps == 2);
    steps.push_back(progress.step);
  };
  train(split(4, world, Axis::h),
        small_steps(),
        world,
        {.placed = {}, .note = {}, .progress = on_progress, .checked = {}});
  CHECK(steps == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("train: a training can begin with the weights that another one dumped") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = split(4, world, Axis::h);
  TrainingOptions options = small_steps();
  options.dump_file = folder.path("first.h5");
  run(plan, options, world);
  world.barrier();
  options.weights_file = options.dump_file;
  options.dump_file = folder.path("second.h5");
  options.seed = 99;
  options.learning_rate = 0.0;
  run(plan, options, world);
  world.barrier();
  const auto first = stored_weights(folder.path("first.h5"));
  CHECK(first[1] != std::vector<double>(3, 1.0));
  CHECK(stored_weights(folder.path("second.h5")) == first);
}

TEST_CASE("train: parameters of split channels are written and read whole") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  const SharedFolder folder(world);
  for (const ChannelAlgorithm algorithm : Enumerators<ChannelAlgorithm>::all) {
    Plan plan = uniform_plan(small_network(), 4, Mesh({{Axis::c, world.size()}}));
    plan.layers.front().mesh = plan.layers.back().mesh = Mesh({{Axis::n, world.size()}});
    for (const char* name : {"conv", "fc"}) {
      const LayerIndex layer = plan.network.index_of(name).value();
      if (!channel_split_refusal(plan.network, layer, world.size(), algorithm).empty()) continue;
      plan.layers[layer].channel_algorithm = algorithm;
    }
    TrainingOptions options = small_steps();
    options.dump_file = folder.path("split.h5");
    run(plan, options, world);
    world.barrier();
    const auto split_channels = stored_weights(folder.path("split.h5"));
    // One rank, which has all weights, reads them and writes them again.
    options.weights_file = options.dump_file;
    options.learning_rate = 0.0;
    options.dump_file = folder.path("again" + std::to_string(world.rank()) + ".h5");
    run(uniform_plan(small_network(), 4, Mesh()), options, self);
    CHECK(stored_weights(options.dump_file) == split_channels);
    // The ranks that have parts of the weights read them and write them again.
    options.dump_file = folder.path("parts.h5");
    run(plan, options, world);
    world.barrier();
    CHECK(stored_weights(options.dump_file) == split_channels);
    // Training by one rank gives the same weights except for rounding.
    options = small_steps();
    options.dump_file = folder.path("alone" + std::to_string(world.rank()) + ".h5");
    run(uniform_plan(small_network(), 4, Mesh()), options, self);
    const auto alone = stored_weights(options.dump_file);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      for (std::size_t j = 0; j < alone[i].size(); ++j) {
        CHECK(std::abs(split_channels[i][j] - alone[i][j]) <= 1e-5);
      }
    }
    for (const char* name : {"/bn/mean", "/bn/variance"}) {
      const std::vector<double> together = stored(folder.path("split.h5"), name, 3);
      const std::vector<double> expected = stored(options.dump_file, name, 3);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(together[i] == relative(expected[i], 1e-5));
      }
    }
    world.barrier();
  }
}

TEST_CASE("train: ranks without samples do not contribute to running values") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  const SharedFolder folder(world);
  TrainingOptions options = small_steps();
  options.dump_file = folder.path("split.h5");
  run(split(1, world, Axis::n), options, world);
  options.dump_file = folder.path("alone" + std::to_string(world.rank()) + ".h5");
  run(uniform_plan(small_network(), 1, Mesh()), options, self);
  world.barrier();
  for (const char* name : {"/bn/mean", "/bn/variance"}) {
    const std::vector<double> together = stored(folder.path("split.h5"), name, 3);
    const std::vector<double> alone = stored(options.dump_file, name, 3);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      CHECK(together[i] == relative(alone[i], 1e-5));
    }
  }
}

TEST_CASE(
    "train: refuses plans for other ranks, losses that are not finite, plans that do not fit") {
  const Communicator world = Communicator::world();
  const Plan other = uniform_plan(small_network(), 8, Mesh({{Axis::n, world.size() + 1}}));
  CHECK_THROWS_AS(run(other, small_steps(), world), EnvironmentError);
  TrainingOptions diverging = small_steps();
  diverging.learning_rate = 1e30;
  diverging.steps = 5;
  CHECK_THROWS_AS(run(split(4, world, Axis::n), diverging, world), NotFiniteError);
  const Network large = with_input_size(small_network(), {1, 1 << 15, 1 << 15});
  const Plan too_large = uniform_plan(large, 64, Mesh({{Axis::n, world.size()}}));
  CHECK_THROWS_AS(run(too_large, small_steps(), world), InfeasibleError);
}

InputProblem problem_with_weights(const std::string& wrong, double value) {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = split(4, world, Axis::n);
  TrainingOptions options = small_steps();
  options.weights_file = folder.path("weights.h5");
  if (world.rank() == 0) {
    TensorFileWriter file(options.weights_file);
    for (const DumpedTensor& tensor : dumped_tensors(plan, lower(plan, 0))) {
      using Kind = DumpedTensor::Kind;
      if (tensor.kind == Kind::gradient || tensor.kind == Kind::output) continue;
      std::vector<double> values(tensor.elements(), 0.5);
      if (tensor.name == wrong) values[values.size() > 19 ? 19 : 1] = value;
      file.write(tensor.name, tensor.extents, values, Precision::fp64);
    }
    file.finish();
  }
  world.barrier();
  try {
    run(plan, options, world);
    FAIL("accepted");
  } catch (const InputError& error) {
    return error.problem();
  }
  return {};
}

TEST_CASE("train: weights that the precision cannot hold are refused with their place") {
  const InputProblem problem = problem_with_weights("/conv/weight", 1e39);
  CHECK(problem.pointer == "/conv/weight");
  CHECK(problem.value == "a value that is not finite at (1, 0, 0, 1)");  // filter 1 begins at 18
}

TEST_CASE("train: a negative variance is refused") {
  const InputProblem problem = problem_with_weights("/bn/variance", -1.0);
  CHECK(problem.pointer == "/bn/variance");
  CHECK(problem.value == "-1.000000");
}

TEST_CASE("train: a step that is not finite is named before a save finds the weights") {
  const Communicator world = Communicator::world();
  TrainingOptions diverging = small_steps();
  diverging.learning_rate = 1e30;
  diverging.steps = 5;
  CHECK_THROWS_WITH_AS(run(split(4, world, Axis::n), diverging, world),
                       doctest::Contains("is not finite: the first tensor that is not finite is "),
                       NotFiniteError);
}

TEST_CASE("train: a missing test file ends the training before it begins") {
  const Communicator world = Communicator::world();
  TrainingOptions options = small_steps();
  options.test_file = "no/such/file.h5";
  int steps = 0;
  CHECK_THROWS_AS(
      train(
          split(4, world, Axis::n),
          options,
          world,
          {.placed = {}, .note = {}, .progress = [&](const Progress&) { ++steps; }, .checked = {}}),
      IoError);
  CHECK(steps == 0);
}

}  // namespace cnnplan
